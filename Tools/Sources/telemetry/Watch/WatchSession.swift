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
        case history(HistoryPage, HistoryRequest, of: EventHistory)
        case historyFailed(String, HistoryRequest, of: EventHistory)
        case top(TelemetryQueryResult, TopRequest)
        case topFailed(String, TopRequest)
        case action(WatchModel.Action)
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
    /// The filter of the command line.
    private let filter: TelemetryEventFilter
    /// The name that is stored with commands.
    private let issuer: String?
    private let diagnostics: AsyncStream<String>
    private let changes: AsyncStream<Void>
    private let changed: AsyncStream<Void>.Continuation
    private var model: WatchModel
    /// The stored events that match the model's filter.
    private var history: EventHistory
    /// Reads the events that match the model's filter.
    private var following: Task<Void, Never>?
    /// The position after the events that the model has taken.
    private var position: TelemetryCursor?

    init(
        transport: any TelemetryTransporting, location: StoreLocation, screen: Screen, style: Style,
        filter: WatchFilter, issuer: String?, aliases: ClientAliases,
        diagnostics: AsyncStream<String>
    ) {
        self.transport = transport
        self.location = location
        self.screen = screen
        self.filter = filter.base
        self.issuer = issuer
        history = EventHistory(transport: transport, filter: filter.events)
        self.diagnostics = diagnostics
        (changes, changed) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        view = WatchView(style: style)
        model = WatchModel(
            store: location.name, now: .now, aliases: aliases, filter: filter)
    }

    /// Runs until a key ends it, its task is cancelled, or the store fails.
    func run() async throws {
        do { try await takeInputs() } catch {
            await endFollowing()
            throw error
        }
        await endFollowing()
    }

    private func endFollowing() async {
        following?.cancel()
        await following?.value
    }

    private func takeInputs() async throws {
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
            follow(continuation)
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
            _ = perform(model.take(clients: clients, scenarios: scenarios), &group, continuation)
            changed.yield()
        case .message(let text):
            model.message = text
            changed.yield()
        // An answer about the events of an earlier filter is ignored.
        case .history(let page, let request, let source):
            if source === history { _ = perform(model.take(page, for: request), &group, continuation) }
            changed.yield()
        case .historyFailed(let text, let request, let source):
            if source === history { model.takeFailure(text, of: request) }
            changed.yield()
        case .top(let result, let request):
            model.take(result, for: request)
            changed.yield()
        case .topFailed(let text, let request):
            model.takeFailure(text, of: request)
            changed.yield()
        case .action(let action):
            _ = perform(action, &group, continuation)
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
                do { continuation.yield(.history(try await history.page(request), request, of: history)) } catch {
                    continuation.yield(.historyFailed(await location.failure(describing: error).message, request, of: history))
                }
            }
        case .top(let request):
            let (transport, location) = (transport, location)
            group.addTask {
                do {
                    let result = try await transport.result(of: request.query, matching: request.filter, now: .now)
                    continuation.yield(.top(result, request))
                } catch { continuation.yield(.topFailed(await location.failure(describing: error).message, request)) }
            }
        case .follow: follow(continuation)
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

    /// Starts to read the events that match the model's filter, instead of those of the filter before.
    private func follow(_ continuation: AsyncStream<Input>.Continuation) {
        let (previous, filter) = (following, model.filter.events)
        let history = EventHistory(transport: transport, filter: filter)
        self.history = history
        previous?.cancel()
        following = Task {
            await previous?.value
            do { try await self.read(history, filter, continuation) } catch {
                if !Task.isCancelled { continuation.yield(.failed(error)) }
            }
        }
    }

    private func read(
        _ history: EventHistory, _ filter: TelemetryEventFilter, _ continuation: AsyncStream<Input>.Continuation
    ) async throws {
        guard let start = try await start(history, continuation) else { return }
        try await withThrowingTaskGroup(of: Void.self) { group in
            if model.isCountWanted { group.addTask { await self.count(filter) } }
            try await followNewEvents(after: start, history)
            group.cancelAll()
        }
    }

    /// Shows the newest events. Returns the position after them; nil if the filter changed.
    private func start(
        _ history: EventHistory, _ continuation: AsyncStream<Input>.Continuation
    ) async throws -> TelemetryCursor? {
        do {
            let newest = try await history.newestEvents()
            guard !Task.isCancelled else { return nil }
            position = newest.end
            continuation.yield(.action(model.start(newest.events, hasMore: newest.hasMore)))
        } catch {
            // Where another filter was answered before, the store may only refuse this one.
            guard position != nil, !Task.isCancelled else { throw error }
            let text = await location.failure(describing: error).message
            guard !Task.isCancelled else { return nil }
            continuation.yield(.action(model.start([], hasMore: true)))
            model.message = text
        }
        return position
    }

    /// Counts the stored events that match.
    private func count(_ filter: TelemetryEventFilter) async {
        do {
            let count = try await transport.countEvents(matching: filter)
            if !Task.isCancelled { model.take(matching: count) }
        } catch {
            let text = await location.failure(describing: error).message
            if !Task.isCancelled { model.message = text }
        }
        changed.yield()
    }

    /// Reads no faster than the model processes the pages, so that no pages accumulate in memory.
    private func followNewEvents(after start: TelemetryCursor, _ history: EventHistory) async throws {
        try await EventReader(transport: transport, filter: filter).read(after: start, following: true) { page in
            guard !Task.isCancelled else { return false }
            let cursor = position
            position = page.cursor
            let count = model.take(page.events, skipped: page.skippedEventCount)
            changed.yield()
            await history.record(count, after: cursor)
            return true
        }
    }
}
