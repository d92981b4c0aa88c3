@preconcurrency import Dispatch
import Foundation
import TelemetryModels
import TelemetryTransport
import ViewerKit

/// Brings together keys, time, the store's changes and the screen.
actor WatchSession {
    private enum Input: Sendable {
        case keys([Key])
        case resized
        case tick
        case records([TelemetryClientRecord], [TelemetryScenarioRecord])
        case page(TelemetryEventPage)
        case told(String)
        case failed(any Error)
        case gone
    }

    private let transport: FileTelemetryTransport
    private let screen: Screen
    private let view: WatchView
    private let since: Date?
    private let troubles: AsyncStream<String>
    private var model: WatchModel

    init(
        transport: FileTelemetryTransport, screen: Screen, style: Style, store: String, since: Date?,
        troubles: AsyncStream<String>
    ) {
        self.transport = transport
        self.screen = screen
        self.since = since
        self.troubles = troubles
        view = WatchView(style: style)
        model = WatchModel(store: store, now: .now)
    }

    /// Runs until a key ends it, its task is cancelled, or the store fails.
    func run() async throws {
        let (inputs, continuation) = AsyncStream.makeStream(of: Input.self)
        let window = watchWindow(continuation)
        readKeys(continuation)
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer {
                group.cancelAll()
                window.cancel()
            }
            let (transport, since, troubles) = (transport, since, troubles)
            group.addTask { await Self.follow(transport, since: since, continuation) }
            group.addTask { await Self.followRecords(transport, continuation) }
            group.addTask { for await trouble in troubles { continuation.yield(.told(trouble)) } }
            group.addTask {
                while !Task.isCancelled {
                    try? await Task.sleep(for: .seconds(1))
                    continuation.yield(.tick)
                }
            }
            draw(isFresh: true)
            for await input in inputs {
                guard try take(input, &group, continuation) else { return }
            }
            try Task.checkCancellation()
        }
    }

    /// False where it is time to end.
    private func take(
        _ input: Input, _ group: inout ThrowingTaskGroup<Void, any Error>, _ continuation: AsyncStream<Input>.Continuation
    ) throws -> Bool {
        switch input {
        case .keys(let keys):
            for key in keys {
                model.message = ""
                switch model.press(key) {
                case .nothing: break
                case .quit: return false
                case .send(let command):
                    let transport = transport
                    group.addTask { continuation.yield(.told(await Self.send(command, over: transport))) }
                }
            }
        case .resized: break
        case .tick: model.tick(.now)
        case .records(let clients, let scenarios): model.take(clients: clients, scenarios: scenarios)
        case .page(let page): model.take(page.events, missed: page.missedEvents)
        case .told(let text): model.message = text
        case .failed(let error): throw error
        case .gone: return false
        }
        var isFresh = false
        if case .resized = input { isFresh = true }
        draw(isFresh: isFresh)
        return true
    }

    private func draw(isFresh: Bool) {
        let size = screen.size
        screen.show(view.lines(&model, columns: size.columns, rows: size.rows), isFresh: isFresh)
    }

    private func readKeys(_ continuation: AsyncStream<Input>.Continuation) {
        // Reading blocks, so it gets a thread of its own; it ends with the process.
        Thread {
            while let keys = Screen.readKeys() { continuation.yield(.keys(keys)) }
            continuation.yield(.gone)
        }.start()
    }

    private func watchWindow(_ continuation: AsyncStream<Input>.Continuation) -> any DispatchSourceSignal {
        let source = DispatchSource.makeSignalSource(signal: SIGWINCH)
        source.setEventHandler { @Sendable in continuation.yield(.resized) }
        source.resume()
        return source
    }

    private static func follow(
        _ transport: FileTelemetryTransport, since: Date?, _ continuation: AsyncStream<Input>.Continuation
    ) async {
        do {
            try await EventReader(transport: transport, filter: .init(since: since)).read(after: nil, following: true) { page in
                if !page.events.isEmpty || page.missedEvents > 0 { continuation.yield(.page(page)) }
                return true
            }
        } catch { continuation.yield(.failed(error)) }
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
            case .executed:
                guard let scenario = command.scenarioName else { return "\(command.clientId) is approved." }
                return "\(scenario) is \(command.action == .enableScenario ? "on" : "off") at \(command.clientId)."
            case .failed(let reason): return "The client \(command.clientId) could not do it: \(reason)"
            case .unanswered: return "The client \(command.clientId) has not answered yet; the command waits for it."
            }
        } catch { return ToolFailure(describing: error).message }
    }
}
