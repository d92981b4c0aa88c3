import Foundation
import ViewerKit

/// The step in which the relay is killed.
extension DemoRun {
    /// The number of events that the host logs during the outage.
    private static let eventsWithoutRelay = 25
    /// The minimum duration of the outage.
    private static let outage = Duration.seconds(1)

    func killAndRestartRelay() async throws {
        guard let relay = store.relay else { return }
        step("The relay is killed while the client logs, and started again")
        guard let host, let arrivals, let scenario = busy.first else {
            return detail("skipped: there are no events to log")
        }
        detail(
            "telemetry enable \(clientId.visible) \(scenario.visible) \(tick) "
                + console.style.dim("answered in \(try await turn(scenario, on: true))"))
        let run = runs + 1
        try await host.send("loop")
        try await expecting("an event of run \(run)") { [session] in try await arrivals.wait(for: 1, from: run, session: session)
        }
        let killed = await relay.kill().map(String.init) ?? "–"
        let before = try tally.lines().count
        detail("kill -9 \(killed), after \(counted(before, "event")) in total")
        try await outage(until: before + Self.eventsWithoutRelay)
        let missed = try tally.lines().count - before
        let restarted = try await relay.start()
        detail("the host logged \(counted(missed, "more event")) without a relay")
        detail("restarted (process \(restarted)) with the same database, on the same port")
        try await rest()
        let expected = try tally.lines().count
        try await expecting("all of \(expected) events to arrive") { try await arrivals.wait(forAll: expected) }
        detail("all \(expected.grouped) events have arrived \(tick)")
        detail(
            "telemetry disable \(clientId.visible) \(scenario.visible) \(tick) "
                + console.style.dim("answered in \(try await turn(scenario, on: false))"))
        try await runUnrecorded()
    }

    /// Waits until the host has logged this many events in total, or has stopped logging because it waits for the relay.
    private func outage(until count: Int) async throws {
        try await Task.sleep(for: Self.outage)
        do {
            try await expecting("events without a relay", within: .seconds(5)) { [tally] in
                // The host reports logged events only in its tally file, which has to be polled.
                while try tally.lines().count < count { try await Task.sleep(for: .milliseconds(50)) }
            }
        } catch is ToolFailure {}
    }
}
