import TelemetryModels
import TelemetryTransport
import ViewerKit

/// How the host ends: once by force, once by itself; and the account.
extension DemoRun {
    /// How many of the killed run's events are to be seen before the kill.
    private static let eventsBeforeTheKill = 25

    func killAndRestart() async throws {
        act("The client is killed in the middle, and started again")
        guard let killed = host, let arrivals, let first = busy.first else {
            return tell("the work logs nothing, so there is no middle")
        }
        for scenario in Set([first, busy.last ?? first]) { _ = try await turn(scenario, on: true) }
        tell(described(states))
        let run = runs + 1
        try killed.send("loop")
        try await expecting("events of run \(run)") { [session] in
            try await arrivals.wait(for: Self.eventsBeforeTheKill, from: run, session: session)
        }
        killed.kill()
        _ = try await expecting("the host's end") { await killed.ended() }
        tell("kill -9 \(killed.identifier), after \(try tally.lines().count.grouped) events in all")
        let before = states
        let host = try await startHost()
        let clientId = clientId
        let state = try await report(of: host, "the approval's return") { $0.status == "enabled" }
        guard state.client == clientId else {
            throw ToolFailure(.failed, "The client came back as \"\(state.client ?? "")\" and not as \"\(clientId)\".")
        }
        let names = Set(scenarios)
        let records = try await scenarioRecords("the scenarios as they were") { records in
            Set(records.map(\.scenarioName)) == names && records.allSatisfy { before[$0.scenarioName] == $0.isEnabled }
        }
        states = Dictionary(uniqueKeysWithValues: records.map { ($0.scenarioName, $0.isEnabled) })
        tell(
            "started again (process \(host.identifier)): \(clientId.visible) is approved, \(described(states)), as before \(tick)"
        )
        let report = try await runOnce()
        let recorded = (report.recorded ?? [:]).values.reduce(0, +)
        let arrived = await arrived(in: runs)
        tell(
            "run \(runs): \(volume(report)); \(recorded.grouped) events recorded, \(arrived.grouped) arrived "
                + (recorded == arrived ? tick : "✗"))
    }

    func end() async throws {
        act("The session ends")
        guard let host else { return }
        // What the killed process left behind must be here before the session's end deletes it.
        let expected = try tally.lines().count
        do {
            try await expecting("the last of \(expected) events", within: .seconds(20)) { [arrivals] in
                try await arrivals?.wait(forAll: expected)
            }
        } catch is ToolFailure {
            // The account tells what is missing.
            tell("some of the \(expected.grouped) events logged have not arrived ✗")
        }
        try host.send("quit")
        let status = try await expecting("the host's end") { await host.ended() }
        guard status == 0 else { throw ToolFailure(.failed, "The host ended with \(status.map(String.init) ?? "a signal").") }
        let left = try await transport.countEvents(matching: .init(clientId: clientId))
        let scenarios = try await transport.fetchScenarios(forClient: clientId).count
        tell(
            "the host has ended; in the store are left of it: \(scenarios) scenarios, \(left) events "
                + (scenarios + left == 0 ? tick : "✗"))
        guard scenarios + left == 0 else { throw ToolFailure(.failed, "The ended session left something behind.") }
    }

    func settle() async throws {
        let ledger = Ledger(tally: try tally.lines(), arrivals: await arrivals?.events ?? [], off: off)
        act("The account")
        var table = Table([
            ("scenario", .leading), ("logged", .trailing), ("delivered", .trailing), ("lost", .trailing),
            ("duplicated", .trailing), ("while off", .trailing),
        ])
        var total = Ledger.Account()
        for name in scenarios {
            let account = ledger.scenarios[name] ?? .init()
            total += account
            table.add(row(.init(name, look: console.style.tinted), account))
        }
        table.add(row(.init("all", look: console.style.bold), total))
        for line in table.lines(style: console.style) { tell(line) }
        tell("dropped: \(ledger.dropped) · out of order: \(ledger.disorder) · missing numbers: \(ledger.gaps)")
        if ledger.uncounted > 0 {
            tell("\(ledger.uncounted) more arrived: logged in the moment of the kill, before the host had counted it")
        }
        let faults = ledger.faults(kills: 1)
        guard faults.isEmpty else { throw ToolFailure(.failed, faults.joined(separator: " ")) }
        console.line(
            "\n\(console.style.green("✓")) Every event that was logged arrived once, in order, and only while its scenario was on."
        )
    }

    private func row(_ name: Table.Cell, _ account: Ledger.Account) -> [Table.Cell] {
        func number(_ value: Int, good: Bool) -> Table.Cell {
            .init(value.grouped, look: good ? { $0 } : console.style.red)
        }
        return [
            name, number(account.logged, good: true), number(account.delivered, good: true),
            number(account.lost, good: account.lost == 0), number(account.duplicated, good: account.duplicated == 0),
            number(account.whileOff, good: account.whileOff == 0),
        ]
    }
}
