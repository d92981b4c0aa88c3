import Foundation
import TelemetryModels
import Testing

@testable import TelemetryLifecycle

struct ConsentStateTests {
    private typealias Table = ConsentTable

    @Test("The article shows the table as the code has it; CONSENT_TABLE=write writes it")
    func article() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Docs/LiveTelemetry.docc/CommandsAndConsent.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        let (begin, end) = (
            "<!-- The table of consent begins: written by .ci/consent-table. -->\n\n", "\n\n<!-- The table of consent ends. -->"
        )
        let parts = try #require(
            text.firstRange(of: begin).flatMap { begin in
                text[begin.upperBound...].firstRange(of: end).map { (begin.upperBound, $0.lowerBound) }
            })
        let written = ProcessInfo.processInfo.environment["CONSENT_TABLE"] == "write"
        guard written else {
            #expect(text[parts.0..<parts.1] == Table.markdown, "run .ci/consent-table")
            return
        }
        try (text[..<parts.0] + Table.markdown + text[parts.1...]).write(to: file, atomically: true, encoding: .utf8)
    }

    @Test("Each example has its standing", arguments: ConsentState.Standing.allCases)
    func examples(_ standing: ConsentState.Standing) {
        #expect(Table.state(standing).standing == standing)
        #expect(Table.state(standing).records == (standing == .approved))
    }

    @Test("In every standing, an opt-out closes the gate at once; nothing but an opt-in opens it again")
    func optOut() {
        for standing in ConsentState.Standing.allCases {
            for place in ConsentState.Place.allCases {
                var state = Table.state(standing)
                state.handle(.optedOut(used: Table.client))
                #expect(state.standing == .withdrawn && !state.isOpen)
                state.handle(.refusalRecorded(in: place))
                #expect(state.isHeldOff == (place != .settings))
                for (name, event) in Table.events + Table.events {
                    if case .optedIn = event { continue }
                    if case .restored = event { continue }
                    state.handle(event)
                    #expect(!state.isOpen, "\(standing), \(place): \(name)")
                }
            }
        }
    }

    @Test("The gate is open only for an approved client, whatever happens in which order")
    func sequences() {
        // Every sequence of events to this depth, each state once.
        let events =
            Table.events.map(\.event)
            + [
                .optedIn(client: Table.other), .approved(client: Table.other), .revoked(client: Table.other, command: nil),
                .removed(client: Table.other), .departed(client: Table.other), .used(client: Table.other),
            ]
        var seen: [ConsentState] = [ConsentState()]
        var last = seen
        for _ in 1...3 {
            var next: [ConsentState] = []
            for state in last {
                for event in events {
                    var after = state
                    after.handle(event)
                    check(after, after: event, in: state)
                    if !seen.contains(after) {
                        seen.append(after)
                        next.append(after)
                    }
                }
            }
            last = next
        }
        #expect(seen.count > 100)
    }

    private func check(_ state: ConsentState, after event: ConsentEvent, in before: ConsentState) {
        let settings = state.settings
        if case .open(let client) = state.gate {
            #expect(settings.telemetryRequested && settings.telemetrySendingEnabled && settings.clientIdentifier == client)
            #expect(state.refusal == nil && state.confirmed == client, "\(event) in \(before)")
        }
        if state.isOpen, !before.isOpen {
            let opens =
                switch event {
                case .approved, .unreachable, .refusalRecorded: true
                default: false
                }
            #expect(opens, "\(event) opened the gate in \(before)")
        }
        #expect(settings.telemetryRequested || !settings.telemetrySendingEnabled, "\(event) in \(before)")
        // What was used is deleted, or is the current client's.
        if let used = before.used, state.used == nil {
            #expect(state.stored.work.deletions.contains { $0.clientId == used } || event == .removed(client: used))
        }
        var twice = state
        twice.handle(event)
        if case .optedOut = event { return }
        #expect(twice == state, "\(event) twice in \(before)")
    }

    @Test("Events of another client change neither the standing nor the client")
    func others() {
        for standing in ConsentState.Standing.allCases {
            for event in [
                .approved(client: Table.other), .revoked(client: Table.other, command: nil), .removed(client: Table.other),
                .registered(client: Table.other),
            ] as [ConsentEvent] {
                var state = Table.state(standing)
                state.handle(event)
                #expect(state.settings.clientIdentifier == Table.state(standing).settings.clientIdentifier)
                #expect(state.settings.telemetryRequested == Table.state(standing).settings.telemetryRequested)
            }
        }
    }
}
