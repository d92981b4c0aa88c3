import Foundation
import TelemetryModels
import TelemetryTransport
import ViewerKit

/// The acts of the story, in their order.
extension DemoRun {
    func ask() async throws {
        act("The client asks")
        let host = try await startHost()
        tell("the host runs (process \(host.identifier)) with the scenarios \(scenarios.map(\.visible).joined(separator: ", "))")
        try host.send("ask")
        let state = try await report(of: host, "the client's request") { $0.status == "pendingApproval" && $0.client != nil }
        clientId = state.client ?? ""
        tell("its user agrees to telemetry: the client \(console.style.bold(clientId.visible)) waits for approval")
        let arrivals = Arrivals(transport: transport, clientId: clientId, console: console)
        await arrivals.start()
        self.arrivals = arrivals
    }

    func runInSilence(_ title: String) async throws {
        act(title)
        try await silentRun()
    }

    func silentRun() async throws {
        let report = try await runOnce()
        let recorded = (report.recorded ?? [:]).values.reduce(0, +)
        let arrived = await arrived(in: runs)
        tell(
            "run \(runs): \(volume(report)); \(recorded) events recorded, \(arrived) arrived \(recorded + arrived == 0 ? tick : "✗")"
        )
        guard recorded + arrived == 0 else {
            throw ToolFailure(.failed, "Events were recorded although nothing was on.")
        }
    }

    func approve() async throws {
        act("The viewer approves, and the scenarios appear")
        let time = try await command(.enable)
        tell("telemetry approve \(clientId.visible) \(tick) \(console.style.dim("answered in \(time)"))")
        let wanted = Set(scenarios)
        let records = try await scenarioRecords("the scenarios' records") { Set($0.map(\.scenarioName)) == wanted }
        states = Dictionary(uniqueKeysWithValues: records.map { ($0.scenarioName, $0.isEnabled) })
        tell(described(states))
        guard states.values.allSatisfy({ !$0 }) else { throw ToolFailure(.failed, "A scenario was on from the beginning.") }
    }

    /// One scenario: on for a whole run, off in the middle of the next, silent in the one after.
    func show(_ scenario: String) async throws {
        let name = scenario.visible
        act("\(name): on, off, silence")
        let enabled = try await turn(scenario, on: true)
        tell("telemetry enable \(clientId.visible) \(name) \(tick) \(console.style.dim("answered in \(enabled)"))")
        await arrivals?.show(3)
        let report = try await runOnce()
        await arrivals?.show(0)
        let recorded = report.recorded?[scenario] ?? 0
        let arrived = await arrived(in: runs)
        tell(
            "run \(runs): \(volume(report)); \(recorded.grouped) events recorded, \(arrived.grouped) arrived "
                + (recorded == arrived ? tick : "✗"))
        if recorded > 0 {
            busy.append(scenario)
            try await turnOffAtWork(scenario)
        } else {
            tell(
                "telemetry disable \(clientId.visible) \(name) \(tick) "
                    + console.style.dim("answered in \(try await turn(scenario, on: false))"))
        }
        try await silentRun()
    }

    /// Turns the scenario off while the host logs under it.
    private func turnOffAtWork(_ scenario: String) async throws {
        guard let host, let arrivals else { return }
        let run = runs + 1
        try host.send("loop")
        try await expecting("an event of run \(run)") { [session] in try await arrivals.wait(for: 1, from: run, session: session)
        }
        let disabled = try await turn(scenario, on: false)
        try await rest()
        let total = await arrivals.count(from: run, through: max(run, runs), session: session)
        tell(
            "telemetry disable \(clientId.visible) \(scenario.visible) \(tick) "
                + console.style.dim("answered in \(disabled) while the host worked, after \(total.grouped) more events"))
    }

    /// Ends the loop, and learns which run was the last.
    private func rest() async throws {
        guard let host else { return }
        try host.send("rest")
        let rested = try await report(of: host, "the host's rest") { $0.report == "resting" }
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
            return "\(name.visible) \(isOn ? console.style.green("on") : console.style.dim("off"))"
        }.joined(separator: " · ")
    }
}
