import Foundation
import TelemetryModels
import TelemetryTransport
import ViewerKit

/// The steps of the demo, in order.
extension DemoRun {
    func requestApproval() async throws {
        step("The client requests approval")
        let host = try await startHost()
        detail("the host (process \(host.identifier)) has the scenarios \(scenarios.map(\.visible).joined(separator: ", "))")
        try await host.send("ask")
        let state = try await report(of: host, "the client's request") { $0.status == "pendingApproval" && $0.client != nil }
        clientId = state.client ?? ""
        detail("its user opts in to telemetry: client \(console.style.bold(clientId.visible)) is pending approval")
        let arrivals = Arrivals(transport: transport, clientId: clientId, console: console)
        await arrivals.start()
        self.arrivals = arrivals
    }

    func runUnrecorded() async throws {
        let report = try await runOnce()
        let recorded = (report.recorded ?? [:]).values.reduce(0, +)
        let arrived = await arrived(in: runs)
        detail(
            "run \(runs): \(volume(report)); \(recorded) events recorded, \(arrived) arrived \(recorded + arrived == 0 ? tick : "✗")"
        )
        guard recorded + arrived == 0 else {
            throw ToolFailure(.failed, "Events were recorded although no scenario was enabled.")
        }
    }

    func approve() async throws {
        step("The viewer approves the client, and the scenarios appear")
        let time = try await command(.enable)
        detail("telemetry approve \(clientId.visible) \(tick) \(console.style.dim("answered in \(time)"))")
        let wanted = Set(scenarios)
        let records = try await scenarioRecords("the scenario records") { Set($0.map(\.scenarioName)) == wanted }
        states = Dictionary(uniqueKeysWithValues: records.map { ($0.scenarioName, $0.isEnabled) })
        detail(described(states))
        guard states.values.allSatisfy({ !$0 }) else { throw ToolFailure(.failed, "A scenario was enabled from the start.") }
    }

    /// Enables one scenario for a run, disables it during the next, and checks that the run after that records nothing.
    func show(_ scenario: String) async throws {
        let name = scenario.visible
        step("\(name): enabled, then disabled")
        let enabled = try await turn(scenario, on: true)
        detail("telemetry enable \(clientId.visible) \(name) \(tick) \(console.style.dim("answered in \(enabled)"))")
        await arrivals?.show(3)
        let report = try await runOnce()
        await arrivals?.show(0)
        let recorded = report.recorded?[scenario] ?? 0
        let arrived = await arrived(in: runs)
        detail(
            "run \(runs): \(volume(report)); \(recorded.grouped) events recorded, \(arrived.grouped) arrived "
                + (recorded == arrived ? tick : "✗"))
        if recorded > 0 {
            busy.append(scenario)
            try await disableWhileLogging(scenario)
        } else {
            detail(
                "telemetry disable \(clientId.visible) \(name) \(tick) "
                    + console.style.dim("answered in \(try await turn(scenario, on: false))"))
        }
        try await runUnrecorded()
    }

    /// Disables the scenario while the host logs with it.
    private func disableWhileLogging(_ scenario: String) async throws {
        guard let host, let arrivals else { return }
        let run = runs + 1
        try await host.send("loop")
        try await expecting("an event of run \(run)") { [session] in try await arrivals.wait(for: 1, from: run, session: session)
        }
        let disabled = try await turn(scenario, on: false)
        try await rest()
        let total = await arrivals.count(from: run, through: max(run, runs), session: session)
        detail(
            "telemetry disable \(clientId.visible) \(scenario.visible) \(tick) "
                + console.style.dim("answered in \(disabled) while the host was logging, after \(counted(total, "more event"))"))
    }

    /// Ends the loop, and stores the number of the last run.
    func rest() async throws {
        guard let host else { return }
        try await host.send("rest")
        let rested = try await report(of: host, "the host to stop logging") { $0.report == "resting" }
        runs = rested.run ?? runs
        try await arrivals?.catchUp()
        console.endProgress()
    }

    func scenarioRecords(
        _ what: String, _ isRight: @escaping @Sendable ([TelemetryScenarioRecord]) -> Bool
    ) async throws -> [TelemetryScenarioRecord] {
        try await transport.createScenarioSubscription()
        let notifications = transport.notifications()
        return try await expecting(what) { [transport, clientId] in
            var records = try await transport.fetchScenarios(forClient: clientId)
            if isRight(records) { return records }
            for await _ in notifications {
                records = try await transport.fetchScenarios(forClient: clientId)
                if isRight(records) { return records }
            }
            throw CancellationError()
        }
    }

    func described(_ states: [String: Bool]) -> String {
        scenarios.map { name in
            let isOn = states[name] == true
            return "\(name.visible) \(isOn ? console.style.green("enabled") : console.style.dim("disabled"))"
        }.joined(separator: " · ")
    }
}
