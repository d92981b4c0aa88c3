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
        case failed(any Error)
        case gone
    }

    /// The minimum interval between two redraws for new events. Keys redraw immediately.
    private static let frame = Duration.milliseconds(33)

    private let transport: FileTelemetryTransport
    private let screen: Screen
    private let view: WatchView
    private let since: Date?
    private let diagnostics: AsyncStream<String>
    private let changes: AsyncStream<Void>
    private let changed: AsyncStream<Void>.Continuation
    private var model: WatchModel

    init(
        transport: FileTelemetryTransport, screen: Screen, style: Style, store: String, since: Date?,
        diagnostics: AsyncStream<String>
    ) {
        self.transport = transport
        self.screen = screen
        self.since = since
        self.diagnostics = diagnostics
        (changes, changed) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        view = WatchView(style: style)
        model = WatchModel(store: store, now: .now)
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
            let (transport, diagnostics, changes) = (transport, diagnostics, changes)
            group.addTask {
                do { try await self.follow() } catch { continuation.yield(.failed(error)) }
            }
            group.addTask { await Self.followRecords(transport, continuation) }
            group.addTask { for await text in diagnostics { continuation.yield(.message(text)) } }
            group.addTask {
                while !Task.isCancelled {
                    try? await Task.sleep(for: .seconds(1))
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
                switch model.press(key) {
                case .nothing: break
                case .quit: return false
                case .suspend: suspend()
                case .send(let command):
                    let transport = transport
                    group.addTask { continuation.yield(.message(await Self.send(command, over: transport))) }
                }
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
        case .failed(let error): throw error
        case .gone: return false
        }
        return true
    }

    private func draw(isFresh: Bool) {
        let size = screen.size
        screen.show(view.lines(&model, columns: size.columns, rows: size.rows), isFresh: isFresh)
    }

    /// Restores the terminal and suspends the process group, which is the shell's job.
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
            continuation.yield(.gone)
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
        try await EventReader(transport: transport, filter: .init(since: since)).read(after: nil, following: true) { page in
            model.isCaughtUp = model.isCaughtUp || !page.hasMore
            model.take(page.events, skipped: page.skippedEventCount)
            changed.yield()
            return true
        }
    }

    private static func followRecords(
        _ transport: FileTelemetryTransport, _ continuation: AsyncStream<Input>.Continuation
    ) async {
        do {
            try await transport.createClientRecordSubscription()
            try await transport.createScenarioSubscription()
            let notifications = transport.notifications()
            continuation.yield(.records(try await transport.fetchTelemetryClients(), try await transport.fetchScenarios()))
            for await _ in notifications {
                continuation.yield(.records(try await transport.fetchTelemetryClients(), try await transport.fetchScenarios()))
            }
        } catch { continuation.yield(.failed(error)) }
    }

    private static func send(_ command: TelemetryCommandRecord, over transport: FileTelemetryTransport) async -> String {
        do {
            switch try await CommandSender(transport: transport).send(command, wait: .seconds(10)) {
            case .executed: return done(command)
            case .failed(let reason): return "Client \(command.clientId) failed to execute the command: \(reason)"
            case .unanswered:
                return "Client \(command.clientId) did not answer. The command stays pending; check that the client is running."
            }
        } catch { return ToolFailure(describing: error).message }
    }

    private static func done(_ command: TelemetryCommandRecord) -> String {
        switch command.action {
        case .enable: "Client \(command.clientId) is approved."
        case .disable: "Client \(command.clientId) stopped its telemetry and deleted its data."
        case .deleteEvents: "Client \(command.clientId) deleted its events."
        case .enableScenario: "\(command.scenarioName ?? "") is enabled on client \(command.clientId)."
        case .disableScenario: "\(command.scenarioName ?? "") is disabled on client \(command.clientId)."
        }
    }
}
