@preconcurrency import Dispatch
import Foundation
import TelemetryModels
import TelemetryTransport
import ViewerKit

/// Connects keys, time and changes of the store with the model and the screen.
actor WatchSession {
    private enum Input: Sendable {
        case keys([Key])
        case resized
        case resumed
        case tick
        case frame
        case records([TelemetryClientRecord], [TelemetryScenarioRecord])
        case message(String)
        case history(HistoryPage, HistoryRequest)
        case historyFailed(String, HistoryRequest)
        case failed(any Error)
        case inputClosed
    }

    /// The minimum interval between two redraws for new events. Keys redraw immediately.
    private static let frame = Duration.milliseconds(33)
    /// The interval between two updates of rates and ages.
    private static let tick = Duration.milliseconds(500)

    private let transport: any TelemetryTransporting
    private let location: StoreLocation
    private let screen: Screen
    private let view: WatchView
    private let filter: TelemetryEventFilter
    /// The name that is stored with commands.
    private let issuer: String?
    private let history: EventHistory
    private let diagnostics: AsyncStream<String>
    private let changes: AsyncStream<Void>
    private let changed: AsyncStream<Void>.Continuation
    private var model: WatchModel

    init(
        transport: any TelemetryTransporting, location: StoreLocation, screen: Screen, style: Style,
        filter: TelemetryEventFilter, issuer: String?, aliases: ClientAliases, severity: EventSeverity?,
        diagnostics: AsyncStream<String>
    ) {
        self.transport = transport
        self.location = location
        self.screen = screen
        self.filter = filter
        self.issuer = issuer
        history = EventHistory(transport: transport, filter: filter)
        self.diagnostics = diagnostics
        (changes, changed) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        view = WatchView(style: style)
        model = WatchModel(
            store: location.name, now: .now, aliases: aliases, severity: severity, condition: filter.query?.description)
    }

    /// Runs until a key ends it, its task is cancelled, or the store fails.
    func run() async throws {
        let (inputs, continuation) = AsyncStream.makeStream(of: Input.self)
        let signals = [watch(SIGWINCH, .resized, continuation), watch(SIGCONT, .resumed, continuation)]
        readKeys(continuation)
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer {
                group.cancelAll()
                for signal in signals { signal.cancel() }
            }
            let (records, diagnostics, changes) = (WatchedRecords(transport: transport), diagnostics, changes)
            group.addTask {
                do { try await self.follow() } catch { continuation.yield(.failed(error)) }
            }
            group.addTask {
                do {
                    try await records.follow { clients, scenarios in
                        continuation.yield(.records(clients, scenarios))
                    } problem: { text in
                        continuation.yield(.message(text))
                    }
                } catch { continuation.yield(.failed(error)) }
            }
            group.addTask { for await text in diagnostics { continuation.yield(.message(text)) } }
            group.addTask {
                while !Task.isCancelled {
                    try? await Task.sleep(for: Self.tick)
                    continuation.yield(.tick)
                }
            }
            group.addTask {
                for await _ in changes {
                    continuation.yield(.frame)
                    try? await Task.sleep(for: Self.frame)
                }
            }
            draw(isFresh: true)
            for await input in inputs {
                guard try take(input, &group, continuation) else { return }
            }
            try Task.checkCancellation()
        }
    }

    /// Returns false to end the session.
    private func take(
        _ input: Input, _ group: inout ThrowingTaskGroup<Void, any Error>, _ continuation: AsyncStream<Input>.Continuation
    ) throws -> Bool {
        switch input {
        case .keys(let keys):
            // If the suspension had no effect, a key reopens the screen.
            guard screen.isOpen else {
                reopen()
                return true
            }
            for key in keys {
                model.message = ""
                guard perform(model.press(key), &group, continuation) else { return false }
            }
            draw(isFresh: false)
        case .resized: draw(isFresh: true)
        case .resumed: reopen()
        case .tick:
            model.tick(.now)
            changed.yield()
        case .frame: draw(isFresh: false)
        case .records(let clients, let scenarios):
            model.take(clients: clients, scenarios: scenarios)
            changed.yield()
        case .message(let text):
            model.message = text
            changed.yield()
        case .history(let page, let request):
            _ = perform(model.take(page, for: request), &group, continuation)
            changed.yield()
        case .historyFailed(let text, let request):
            model.takeFailure(text, of: request)
            changed.yield()
        case .failed(let error): throw error
        case .inputClosed: return false
        }
        return true
    }

    /// Returns false to end the session.
    private func perform(
        _ action: WatchModel.Action, _ group: inout ThrowingTaskGroup<Void, any Error>,
        _ continuation: AsyncStream<Input>.Continuation
    ) -> Bool {
        switch action {
        case .nothing: break
        case .quit: return false
        case .suspend: suspend()
        case .send(let command):
            let sending = WatchedCommand(
                command: command.issued(by: issuer), location: location, client: model.aliases.label(of: command.clientId))
            let transport = transport
            group.addTask { continuation.yield(.message(await sending.send(over: transport))) }
        case .read(let request):
            let (history, location) = (history, location)
            group.addTask {
                do { continuation.yield(.history(try await history.page(request), request)) } catch {
                    continuation.yield(.historyFailed(await location.failure(describing: error).message, request))
                }
            }
        case .copy(let text): screen.copy(text)
        }
        return true
    }

    private func draw(isFresh: Bool) {
        let size = screen.size
        screen.reportMouse(model.reportsMouse)
        screen.show(view.lines(&model, columns: size.columns, rows: size.rows), isFresh: isFresh)
    }

    /// Restores the terminal and suspends the process group, which the shell controls as one job.
    private func suspend() {
        screen.close()
        kill(0, SIGTSTP)
    }

    private func reopen() {
        guard !screen.isOpen else { return }
        screen.open()
        draw(isFresh: true)
    }

    private func readKeys(_ continuation: AsyncStream<Input>.Continuation) {
        // Reading blocks, so it runs on a separate thread, which ends with the process.
        Thread {
            let reader = KeyReader()
            while let keys = reader.next() { continuation.yield(.keys(keys)) }
            continuation.yield(.inputClosed)
        }.start()
    }

    private func watch(
        _ number: Int32, _ input: Input, _ continuation: AsyncStream<Input>.Continuation
    ) -> any DispatchSourceSignal {
        let source = DispatchSource.makeSignalSource(signal: number)
        source.setEventHandler { @Sendable in continuation.yield(input) }
        source.resume()
        return source
    }

    /// Reads no faster than the model processes the pages, so that no pages accumulate in memory.
    private func follow() async throws {
        var cursor: TelemetryCursor?
        if let newest = try await history.newestEvents() {
            cursor = newest.end
            model.isCaughtUp = true
            model.take(newest.events, skipped: 0)
            changed.yield()
        }
        try await EventReader(transport: transport, filter: filter).read(after: cursor, following: true) { page in
            await history.record(page.events.count, after: cursor)
            cursor = page.cursor
            model.isCaughtUp = model.isCaughtUp || !page.hasMore
            model.take(page.events, skipped: page.skippedEventCount)
            changed.yield()
            return true
        }
    }
}
