import Foundation
import TelemetryModels
import TelemetryTransport
import ViewerKit

/// Runs the demo: starts a host, acts as its viewer, and compares the logged events with the received ones.
actor DemoRun {
    let console: Console
    let work: DemoWork
    let store: DemoStore
    var arrivals: Arrivals?
    var host: HostProcess?
    var clientId = ""
    /// The session identifier of the host's events.
    var session = ""
    var runs = 0
    var states: [String: Bool] = [:]
    /// The scenarios that were disabled during a whole run.
    var off: [Ledger.Run: Set<String>] = [:]
    var scenarios: [String] = []
    /// The scenarios with events.
    var busy: [String] = []

    private let scratch: URL
    let tally: TallyFile
    var transport: any TelemetryTransporting { store.transport }

    init(console: Console, work: DemoWork, store: DemoStore, scratch: URL) {
        self.console = console
        self.work = work
        self.store = store
        self.scratch = scratch
        tally = TallyFile(url: scratch.appendingPathComponent("tally"))
    }

    /// Runs all steps, then prints the result.
    func perform() async throws {
        do {
            try await play()
            await arrivals?.stop()
        } catch {
            console.endProgress()
            // A host that still writes would recreate files in a directory that is being removed.
            await host?.kill()
            await arrivals?.stop()
            throw error
        }
        try await printResult()
    }

    private func play() async throws {
        let style = console.style
        console.line("\(style.bold("LiveTelemetry demo")) over \(work.name)")
        console.line(style.dim("store: \(store.name.visible)"))
        try await requestApproval()
        step("Before approval, nothing is recorded")
        try await runUnrecorded()
        try await approve()
        step("With all scenarios disabled, nothing is recorded")
        try await runUnrecorded()
        for scenario in scenarios { try await show(scenario) }
        try await killAndRestartRelay()
        try await killAndRestart()
        try await end()
    }

    // MARK: Shared by the steps

    func startHost() async throws -> HostProcess {
        let host = try await HostProcess.start(
            arguments: ["--json"] + store.hostArguments + [
                "--state", scratch.appendingPathComponent("state").path, "--tally", tally.url.path,
            ] + work.arguments)
        self.host = host
        let ready = try await report(of: host, "the host to start") { $0.report == "ready" }
        scenarios = ready.scenarios ?? []
        session = ready.session ?? ""
        runs = 0
        return host
    }

    /// The host's next report that satisfies the condition.
    func report(
        of host: HostProcess, _ what: String, _ isRight: @escaping @Sendable (HostReport) -> Bool
    ) async throws -> HostReport {
        try await expecting(what) { try await host.report(where: isRight) }
    }

    /// Runs the host's work once, and records which scenarios were disabled during the run.
    func runOnce() async throws -> HostReport {
        guard let host else { throw CancellationError() }
        runs += 1
        off[.init(session: session, number: runs)] = Set(scenarios.filter { states[$0] != true })
        try await host.send("work")
        return try await finished(run: runs)
    }

    func finished(run: Int) async throws -> HostReport {
        guard let host else { throw CancellationError() }
        let report = try await report(of: host, "run \(run) to end") { $0.report == "worked" && $0.run == run }
        // The host reports after a flush, so all its events are in the store.
        try await arrivals?.catchUp()
        console.endProgress()
        return report
    }

    /// The number of events of the run that the viewer received.
    func arrived(in run: Int) async -> Int {
        await arrivals?.count(from: run, through: run, session: session) ?? 0
    }

    /// Sends a command to the client, and waits until it was executed.
    func command(_ action: TelemetrySchema.CommandAction, scenario: String? = nil) async throws -> String {
        let command = TelemetryCommandRecord(clientId: clientId, action: action, scenarioName: scenario)
        let start = ContinuousClock.now
        switch try await CommandSender(transport: transport).send(command, wait: .seconds(60)) {
        case .executed: return DurationText.string(seconds: start.duration(to: .now) / .seconds(1))
        case .failed(let reason): throw ToolFailure(.failed, "The client failed to execute \(action.rawValue): \(reason)")
        case .unanswered: throw ToolFailure(.failed, "The client did not answer \(action.rawValue) within 60 s.")
        }
    }

    func turn(_ scenario: String, on isOn: Bool) async throws -> String {
        let time = try await command(isOn ? .enableScenario : .disableScenario, scenario: scenario)
        states[scenario] = isOn
        return time
    }

    func step(_ title: String) { console.line("\n\(console.style.bold("▸ \(title)"))") }

    func detail(_ text: String) { console.line("  \(text)") }

    var tick: String { console.style.green("✓") }

    func volume(_ report: HostReport) -> String {
        "\((report.items ?? 0).grouped) \(work.unit), \(((report.bytes ?? 0) / 1_000).grouped) kB in "
            + DurationText.string(seconds: report.seconds ?? 0)
    }
}
