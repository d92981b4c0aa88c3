import Foundation
import TelemetryModels
import TelemetryPersistence
import Testing

@testable import TelemetryLifecycle

struct ConsentStateTests {
    private typealias Table = ConsentTable

    @Test("The article shows the table as the code has it; CONSENT_TABLE=write writes it")
    func article() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Docs/LiveTelemetry.docc/CommandsAndConsent.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        let begin = try #require(text.firstRange(of: "<!-- The table of consent begins: written by .ci/consent-table. -->\n\n"))
        let end = try #require(text.firstRange(of: "\n\n<!-- The table of consent ends. -->"))
        if ProcessInfo.processInfo.environment["CONSENT_TABLE"] == "write" {
            let written = text[..<begin.upperBound] + Table.markdown + text[end.lowerBound...]
            try written.write(to: file, atomically: true, encoding: .utf8)
        } else {
            #expect(text[begin.upperBound..<end.lowerBound] == Table.markdown, "run .ci/consent-table")
        }
    }

    @Test("Every standing has a column, and only an approval that was confirmed records")
    func columns() {
        #expect(Set(Table.columns.map(\.state.standing)) == Set(ConsentState.Standing.allCases))
        for column in Table.columns {
            #expect(column.name.hasPrefix(column.state.standing.rawValue))
            #expect(column.state.records == (column.name == "approved"), "\(column.name)")
        }
    }

    @Test("After an opt-out, whatever the stores contain, only an opt-in opens the gate", arguments: ConsentState.OptOut.allCases)
    func optOut(_ location: ConsentState.OptOut) throws {
        let approved = try #require(Table.columns.first { $0.name == "approved" }).state
        for column in Table.columns {
            var state = column.state
            state.handle(.optedOut(used: Table.client))
            if location != .pending { state.handle(.optOutRecorded(location)) }
            #expect(state.standing == .withdrawn && state.isHeldOff == (location != .pending))
            for row in Table.rows + Table.rows {
                switch row.event {
                case .optedIn, .restored, .optedOut, .optOutRecorded: continue
                default: break
                }
                state.read(approved.stored)
                state.handle(row.event)
                #expect(!state.isOpen && state.standing == .withdrawn, "\(column.name): \(row.name)")
            }
            state.handle(.optedIn(client: Table.client))
            state.handle(.approved(client: Table.client))
            #expect(state.isOpen)
        }
    }

    @Test("An opt-out that another process has not finished closes the gate")
    func unfinished() throws {
        var state = try #require(Table.columns.first { $0.name == "approved" }).state
        #expect(state.isOpen)
        var stored = state.stored
        stored.work.add(.init(clientId: Table.client, endsConsent: stored.document.optOuts))
        state.read(stored)
        #expect(!state.isOpen && state.standing == .withdrawn)
    }

    @Test("From every standing, three events in any order open the gate for an approved client only")
    func sequences() {
        let events =
            Table.rows.map(\.event) + [
                .optedIn(client: Table.other), .approved(client: Table.other), .revoked(client: Table.other, command: nil),
                .removed(client: Table.other), .departed(client: Table.other), .used(client: Table.other),
                .identified(client: Table.other),
            ]
        var seen = [ConsentState()] + Table.columns.map(\.state)
        var last = seen
        for _ in 1...2 {
            var next: [ConsentState] = []
            for state in last {
                for event in events {
                    var after = state
                    after.handle(event)
                    check(after, after: event, in: state)
                    guard !seen.contains(after) else { continue }
                    seen.append(after)
                    next.append(after)
                }
            }
            last = next
        }
        for state in last {
            for event in events {
                var after = state
                after.handle(event)
                check(after, after: event, in: state)
            }
        }
        #expect(last.count > 100)
    }

    private func check(_ state: ConsentState, after event: ConsentEvent, in before: ConsentState) {
        let settings = state.settings
        if case .open(let client) = state.gate {
            #expect(settings.telemetryRequested && settings.telemetrySendingEnabled && settings.clientIdentifier == client)
            #expect(state.optOut == nil && state.confirmed == client, "\(event) in \(before)")
        }
        if state.isOpen, !before.isOpen {
            let opens =
                switch event {
                case .approved, .unreachable: true
                default: false
                }
            #expect(opens, "\(event) opened the gate in \(before)")
        }
        #expect(settings.telemetryRequested || !settings.telemetrySendingEnabled, "\(event) in \(before)")
        // What this process stored is deleted, unless its record was deleted by the viewer.
        if let used = before.used, state.used == nil {
            let isRemoved = event == .removed(client: used) && before.settings.clientIdentifier == used
            #expect(isRemoved || state.stored.work.deletions.contains { $0.clientId == used }, "\(event) in \(before)")
        }
        // An event that is repeated changes nothing. Each opt-out counts.
        if case .optedOut = event { return }
        var twice = state
        twice.handle(event)
        #expect(twice == state, "\(event) twice in \(before)")
    }

    @Test("Events of another client change neither the settings nor what is recorded", arguments: Table.columns.map(\.name))
    func others(_ name: String) throws {
        let before = try #require(Table.columns.first { $0.name == name }).state
        for event in [
            .notApproved(client: Table.other), .approved(client: Table.other), .revoked(client: Table.other, command: nil),
            .removed(client: Table.other), .registered(client: Table.other),
        ] as [ConsentEvent] {
            var state = before
            state.handle(event)
            #expect(state.settings == before.settings, "\(event)")
            #expect(!state.isOpen || before.isOpen, "\(event)")
        }
    }
}
