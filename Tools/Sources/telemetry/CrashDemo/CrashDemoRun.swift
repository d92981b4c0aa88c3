import Foundation
import TelemetryModels
import TelemetryTransport
import ViewerKit

/// Runs the demo of the flight recorder: kills a host whose scenario is off, and captures its last events after a restart.
actor CrashDemoRun {
    private static let scenario = "FileRead"
    /// How far back the capture reaches; a restart takes far less.
    private static let lookback: TimeInterval = 30
    private static let shownEvents = 5

    private let console: Console
    private let folder: URL
    private let store: DemoStore
    private let scratch: URL
    private let tally: TallyFile
    private var host: HostProcess?
    private var clientId = ""

    init(console: Console, folder: URL, store: DemoStore, scratch: URL) {
        self.console = console
        self.folder = folder
        self.store = store
        self.scratch = scratch
        tally = TallyFile(url: scratch.appendingPathComponent("tally"))
    }

    func perform() async throws {
        do {
            console.line("\(console.style.bold("Flight recorder demo")) over \(folder.path.visible)")
            try await approve()
            try await workUnrecorded()
            try await kill()
            try await restart()
            let result = try await capture()
            try await compare(result)
            try await end()
        } catch {
            // A host that still writes would recreate files in a directory that is being removed.
            await host?.kill()
            throw error
        }
    }

    private func approve() async throws {
        step("The host starts, with \(Self.scenario) off and kept by its flight recorder")
        let host = try await startHost()
        try await host.send("ask")
        let state = try await report(of: host, "the client's request") { $0.status == "pendingApproval" && $0.client != nil }
        clientId = state.client ?? ""
        _ = try await send(.init(clientId: clientId, action: .enable))
        _ = try await report(of: host, "the approval") { $0.status == "enabled" }
        detail("client \(console.style.bold(clientId.visible)) is approved, process \(host.identifier) \(tick)")
    }

    private func workUnrecorded() async throws {
        guard let host else { return }
        try await host.send("loop")
        let worked = try await report(of: host, "the host to work") { $0.report == "worked" }
        let stored = try await store.transport.countEvents(matching: .init(clientId: clientId))
        let files = (worked.items ?? 0).grouped
        detail("it reads \(files) files, repeatedly; \(counted(stored, "event")) stored \(mark(stored == 0))")
        guard stored == 0 else { throw ToolFailure(.failed, "Events were stored although no scenario was enabled.") }
    }

    private func kill() async throws {
        guard let host else { return }
        step("The host is killed while it works")
        _ = try await report(of: host, "another run") { $0.report == "worked" }
        await host.kill()
        detail("kill -9 \(host.identifier), after \(counted(try loggedNumbers().count, "event")) of \(Self.scenario)")
    }

    private func restart() async throws {
        step("It starts again, and does not work")
        let host = try await startHost()
        let state = try await report(of: host, "the restarted client to be approved") { $0.status == "enabled" }
        guard state.client == clientId else {
            throw ToolFailure(.failed, "The restarted client is \"\(state.client ?? "")\" instead of \"\(clientId)\".")
        }
        detail("process \(host.identifier) is client \(clientId.visible) again \(tick)")
    }

    /// Returns the captured events.
    private func capture() async throws -> [TelemetryEvent] {
        step("A viewer captures the last \(Int(Self.lookback)) seconds")
        let filter = TelemetryEventFilter(clientId: clientId, scenarios: [Self.scenario])
        var arrivals = store.transport.eventStream(matching: filter).makeAsyncIterator()
        let result = try await send(captureCommand(lookback: Self.lookback))
        let count = result.split(separator: " ").lazy.compactMap { Int($0) }.first ?? 0
        let command = "telemetry capture \(clientId.visible) \(Self.scenario) --last \(Int(Self.lookback))s"
        detail("\(command): \(result) \(mark(count > 0))")
        var events: [TelemetryEvent] = []
        while events.count < count, let event = try await arrivals.next() { events.append(event) }
        let rows = EventRows(
            columns: [.time, .scenario, .level, .name, .text], style: console.style, width: console.width.map { $0 - 4 })
        for event in events.suffix(Self.shownEvents) { console.line("    " + rows.row(event)) }
        return events
    }

    /// Compares the captured events with the end of the killed host's own count.
    private func compare(_ events: [TelemetryEvent]) async throws {
        let unmarked = events.filter { $0.attributes["telemetry.captured"] != true || $0.scenario != Self.scenario }
        let captured = events.compactMap { $0.attributes["number"]?.intValue.map { Int($0) } }
        // The host counts an event after logging it, so the last one may not be counted.
        var logged = try loggedNumbers()
        if let last = captured.last, last > logged.last ?? 0 { logged.append(last) }
        let isComplete = !captured.isEmpty && captured == Array(logged.suffix(captured.count))
        detail(
            "\(captured.count.grouped) captured events are the last that the killed host logged \(mark(isComplete)), marked "
                + "telemetry.captured \(mark(unmarked.isEmpty))")
        let again = try await send(captureCommand(lookback: nil))
        detail(console.style.dim("all that is left in the recorder: \(again)"))
        guard isComplete, unmarked.isEmpty else {
            throw ToolFailure(.failed, "The captured events are not the last that the killed host logged.")
        }
        console.line("\n\(console.style.green("✓")) The last events of the killed host arrived after its restart.")
    }

    private func end() async throws {
        guard let host else { return }
        try await host.send("end")
        let status = try await expecting("the host to end") { try await host.ended() }
        guard status == 0 else { throw ToolFailure(.failed, "The host ended with \(status.map(String.init) ?? "a signal").") }
    }

    // MARK: Shared by the steps

    private func startHost() async throws -> HostProcess {
        let host = try await HostProcess.start(
            arguments: ["--json", "--record", Self.scenario] + store.hostArguments + [
                "--state", scratch.appendingPathComponent("state").path, "--tally", tally.url.path, folder.path,
            ])
        self.host = host
        _ = try await report(of: host, "the host to start") { $0.report == "ready" }
        return host
    }

    /// The host's next report that satisfies the condition.
    private func report(
        of host: HostProcess, _ what: String, _ isRight: @escaping @Sendable (HostReport) -> Bool
    ) async throws -> HostReport {
        try await expecting(what) { try await host.report(where: isRight) }
    }

    private func captureCommand(lookback: TimeInterval?) -> TelemetryCommandRecord {
        .init(clientId: clientId, action: .captureScenario, scenarioName: Self.scenario, lookback: lookback)
    }

    /// Sends a command, waits until it was executed, and returns its result.
    private func send(_ command: TelemetryCommandRecord) async throws -> String {
        switch try await CommandSender(transport: store.transport).send(command, wait: .seconds(60)) {
        case .executed(let answer): return answer.result ?? ""
        case .failed(let answer): throw ToolFailure(.failed, "The command failed: \(answer.errorMessage ?? "")")
        case .unanswered: throw ToolFailure(.failed, "The client did not answer within 60 s.")
        }
    }

    /// The numbers of the scenario's events that the hosts counted.
    private func loggedNumbers() throws -> [Int] {
        try tally.lines().filter { $0.scenario == Self.scenario }.map(\.key.number)
    }

    private func step(_ title: String) { console.line("\n\(console.style.bold("▸ \(title)"))") }
    private func detail(_ text: String) { console.line("  \(text)") }
    private var tick: String { console.style.green("✓") }
    private func mark(_ isRight: Bool) -> String { isRight ? tick : "✗" }
}
