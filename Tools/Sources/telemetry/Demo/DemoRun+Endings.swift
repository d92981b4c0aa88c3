import TelemetryModels
import TelemetryTransport
import ViewerKit

/// The steps that kill the host, end its session and print the result.
extension DemoRun {
    /// The number of events of the killed run to wait for before the kill.
    private static let eventsBeforeKill = 25

    func killAndRestart() async throws {
        step("The client is killed while logging, and restarted")
        guard let killed = host, let arrivals, let first = busy.first else {
            return detail("skipped: there are no events to log")
        }
        for scenario in Set([first, busy.last ?? first]) { _ = try await turn(scenario, on: true) }
        detail(described(states))
        let run = runs + 1
        try await killed.send("loop")
        try await expecting("events of run \(run)") { [session] in
            try await arrivals.wait(for: Self.eventsBeforeKill, from: run, session: session)
        }
        await killed.kill()
        detail("kill -9 \(killed.identifier), after \(counted(try tally.lines().count, "event")) in total")
        let before = states
        let host = try await startHost()
        let clientId = clientId
        let state = try await report(of: host, "the restarted client to be approved") { $0.status == "enabled" }
        guard state.client == clientId else {
            throw ToolFailure(.failed, "The restarted client is \"\(state.client ?? "")\" instead of \"\(clientId)\".")
        }
        let names = Set(scenarios)
        let records = try await scenarioRecords("the scenarios to be restored") { records in
            Set(records.map(\.scenarioName)) == names && records.allSatisfy { before[$0.scenarioName] == $0.isEnabled }
        }
        states = Dictionary(uniqueKeysWithValues: records.map { ($0.scenarioName, $0.isEnabled) })
        detail(
            "restarted (process \(host.identifier)): \(clientId.visible) is approved, \(described(states)), as before \(tick)"
        )
        let report = try await runOnce()
        let recorded = (report.recorded ?? [:]).values.reduce(0, +)
        let arrived = await arrived(in: runs)
        detail(
            "run \(runs): \(volume(report)); \(recorded.grouped) events recorded, \(arrived.grouped) arrived "
                + (recorded == arrived ? tick : "✗"))
    }

    func end() async throws {
        step("The session ends")
        guard let host else { return }
        // The killed process's events must arrive before the end of the session deletes them.
        let expected = try tally.lines().count
        do {
            try await expecting("the last of \(expected) events to arrive", within: .seconds(20)) { [arrivals] in
                try await arrivals?.wait(forAll: expected)
            }
        } catch is ToolFailure {
            // The result shows which events are missing.
            detail("some of the \(expected.grouped) logged events have not arrived ✗")
        }
        try await host.send("end")
        let status = try await expecting("the host to end") { try await host.ended() }
        guard status == 0 else { throw ToolFailure(.failed, "The host ended with \(status.map(String.init) ?? "a signal").") }
        let left = try await transport.countEvents(matching: .init(clientId: clientId))
        let scenarios = try await transport.fetchScenarios(forClient: clientId).count
        detail(
            "the host ended and left \(counted(scenarios, "scenario")) and \(counted(left, "event")) in the store "
                + (scenarios + left == 0 ? tick : "✗"))
        guard scenarios + left == 0 else { throw ToolFailure(.failed, "The ended session left data in the store.") }
    }

    func printResult() async throws {
        let ledger = Ledger(tally: try tally.lines(), arrivals: await arrivals?.events ?? [], off: off)
        step("Result")
        var table = Table(
            [
                "scenario", .number("logged"), .number("delivered"), .number("lost"), .number("duplicated"),
                .number("while disabled"),
            ], hint: "a wider terminal")
        var total = Ledger.Account()
        for name in scenarios {
            let account = ledger.scenarios[name] ?? .init()
            total += account
            table.add(row(.init(name, look: console.style.tinted), account))
        }
        table.add(row(.init("all", look: console.style.bold), total))
        for line in table.lines(style: console.style, width: console.width.map { $0 - 2 }) { detail(line) }
        detail("dropped: \(ledger.dropped) · out of order: \(ledger.disorder) · missing numbers: \(ledger.gaps)")
        if ledger.uncounted > 0 {
            detail("\(ledger.uncounted) more arrived: logged just before the kill, and not yet counted by the host")
        }
        let faults = ledger.faults(kills: 1)
        guard faults.isEmpty else { throw ToolFailure(.failed, faults.joined(separator: " ")) }
        console.line(
            "\n\(console.style.green("✓")) Every logged event arrived once, in order, and only while its scenario was enabled."
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
