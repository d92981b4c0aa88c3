@preconcurrency import Dispatch
import Foundation
import TelemetryModels
import TelemetryTransport
import ViewerKit

/// Connects keys, time and changes of the store with the model and the screen.
actor WatchSession {
    private typealias Change = @Sendable (inout WatchModel) -> WatchModel.Action

    private enum Input: Sendable {
        case keys([Key])
        case resized
        case resumed
        case tick
        case frame
        /// Change the model, and perform the action; not if the model shows the events of another history by now.
        case change(of: EventHistory? = nil, Change)
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
    /// Reads stored events that the model requested.
    private var reading: Task<Void, Never>?
    /// Asks for top values.
    private var asking: Task<Void, Never>?
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
        do { try await handleInputs() } catch {
            await endTasks()
            throw error
        }
        await endTasks()
    }

    private func endTasks() async {
        let tasks = [following, reading, asking].compactMap(\.self)
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }

    private func handleInputs() async throws {
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
                        continuation.yield(.change { $0.receive(clients: clients, scenarios: scenarios) })
                    } problem: { text in
                        continuation.yield(.change { $0.show(text) })
                    }
                } catch { continuation.yield(.failed(error)) }
            }
            group.addTask { for await text in diagnostics { continuation.yield(.change { $0.show(text) }) } }
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
                guard try handle(input, &group, continuation) else { return }
            }
            try Task.checkCancellation()
        }
    }

    /// Returns false to end the session.
    private func handle(
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
        case .change(let source, let change):
            if source == nil || source === history { _ = perform(change(&model), &group, continuation) }
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
            group.addTask {
                let text = await sending.send(over: transport)
                continuation.yield(.change { $0.show(text) })
            }
        case .read(let request):
            let history = history
            reading?.cancel()
            reading = ask(continuation, history) {
                let page = try await history.page(request)
                return { $0.receive(page, for: request) }
            } failure: { text in
                { $0.receiveFailure(text, of: request) }
            }
        case .top(let request):
            let transport = transport
            asking?.cancel()
            asking = ask(continuation) {
                let result = try await transport.result(of: request.query, matching: request.filter, now: .now)
                return { $0.receive(result, for: request) }
            } failure: { text in
                { $0.receiveFailure(text, of: request) }
            }
        case .follow: follow(continuation)
        case .copy(let text): screen.copy(text)
        }
        if !model.isReading { reading?.cancel() }
        if !model.isAsking { asking?.cancel() }
        return true
    }

    /// Starts a request to the store, and yields the change for its answer unless it is cancelled.
    private func ask(
        _ continuation: AsyncStream<Input>.Continuation, _ history: EventHistory? = nil,
        _ request: @escaping @Sendable () async throws -> Change, failure: @escaping @Sendable (String) -> Change
    ) -> Task<Void, Never> {
        let location = location
        return Task {
            let change: Change
            do { change = try await request() } catch { change = failure(await location.failure(describing: error).message) }
            if !Task.isCancelled { continuation.yield(.change(of: history, change)) }
        }
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
        let previous = following
        history = EventHistory(transport: transport, filter: model.filter.events)
        let events = WatchedEventFeed(
            transport: transport, location: location, filter: model.filter, history: history, position: position)
        previous?.cancel()
        following = Task {
            await previous?.value
            do {
                try await events.follow {
                    await self.start($0, end: $1, hasMore: $2, continuation)
                } count: { count in
                    await self.update { $0.receive(matching: count) }
                } page: {
                    await self.receive($0)
                } problem: { text in
                    await self.update { _ = $0.show(text) }
                }
            } catch {
                if !Task.isCancelled { continuation.yield(.failed(error)) }
            }
        }
    }

    /// Changes the model, unless the filter changed since the calling task was started.
    private func update(_ change: (inout WatchModel) -> Void) {
        guard !Task.isCancelled else { return }
        change(&model)
        changed.yield()
    }

    /// Returns whether the number of the stored events that match is wanted.
    private func start(
        _ events: [TelemetryEvent], end: TelemetryCursor, hasMore: Bool, _ continuation: AsyncStream<Input>.Continuation
    ) -> Bool {
        guard !Task.isCancelled else { return false }
        position = end
        let action = model.start(events, hasMore: hasMore)
        continuation.yield(.change(of: history) { _ in action })
        return model.isCountWanted
    }

    private func receive(_ page: TelemetryEventPage) -> Int? {
        guard !Task.isCancelled else { return nil }
        position = page.cursor
        changed.yield()
        return model.receive(page.events, skipped: page.skippedEventCount)
    }
}
