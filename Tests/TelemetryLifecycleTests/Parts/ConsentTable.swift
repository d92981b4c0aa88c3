import TelemetryModels
import TelemetryPersistence

@testable import TelemetryLifecycle

/// The table of consent's transitions: every event in every standing, as ``ConsentState`` handles it.
struct ConsentTable {
    /// An event with its name in the table.
    struct Row: Sendable {
        let name: String
        let event: ConsentEvent

        init(_ name: String, _ event: ConsentEvent) { (self.name, self.event) = (name, event) }
    }

    /// A state with its name in the table.
    struct Column: Sendable {
        let name: String
        let state: ConsentState

        init(_ name: String, _ events: [ConsentEvent], from state: ConsentState = ConsentState()) {
            self.name = name
            var state = state
            for event in events { state.handle(event) }
            self.state = state
        }
    }

    static let client = "A"
    /// Another client of this device, to which a late event may refer.
    static let other = "B"

    private static let requested: [ConsentEvent] = [
        .optedIn(client: client), .used(client: client), .registered(client: client),
    ]
    private static let approved = requested + [.approved(client: client)]

    static let columns = [
        Column("off", [.foundOff]),
        Column("requested", requested),
        Column("approved, at the start", [], from: atStart),
        Column("approved", approved),
        Column("paused, not approved", requested + [.paused(by: .byViewer)]),
        Column("paused", approved + [.paused(by: .byHost)]),
        Column("withdrawn", approved + [.optedOut(used: client)]),
        Column("leaving", approved + [.optedOut(used: client), .optOutRecorded(nil)]),
    ]

    /// A process that has read an approval.
    private static var atStart: ConsentState {
        var state = ConsentState()
        state.read(Column("", approved).state.stored)
        return state
    }

    private static func backup(isApproved: Bool) -> StoredConsent {
        let settings = TelemetrySettings(
            telemetryRequested: true, telemetrySendingEnabled: isApproved, clientIdentifier: client)
        return StoredConsent(SettingsDocument(settings: settings))
    }

    static let rows = [
        Row("the user opts in", .optedIn(client: client)),
        Row("the user opts out", .optedOut(used: client)),
        Row("the opt-out is in the settings", .optOutRecorded(nil)),
        Row("the opt-out is in the marker", .optOutRecorded(.marked)),
        Row("the opt-out is only in memory", .optOutRecorded(.unrecorded)),
        Row("a backup is restored", .restored(backup(isApproved: false))),
        Row("an approved backup is restored", .restored(backup(isApproved: true))),
        Row("the record is enabled", .approved(client: client)),
        Row("the record is not enabled yet", .notApproved(client: client)),
        Row("the approval is revoked, or a command disables", .revoked(client: client, command: nil)),
        Row("the record was deleted", .removed(client: client)),
        Row("the host or the viewer pauses", .paused(by: .byHost)),
        Row("the last pause ends", .paused(by: [])),
        Row("the record exists", .registered(client: client)),
        Row("the store cannot be reached", .unreachable),
        Row("telemetry is found off", .foundOff),
        Row("the logger finds the consent ended", .foundEnded),
        Row("another process replaced the client", .departed(client: client)),
        Row("the client's data is deleted", .deleted(columns.last?.state.stored.work.deletions.first ?? .init(clientId: ""))),
    ]

    /// What the event changes in the state.
    static func effects(of event: ConsentEvent, on before: ConsentState) -> (state: ConsentState, effects: [String]) {
        var after = before
        after.handle(event)
        var effects: [String] = []
        if before.records != after.records { effects.append(after.records ? "opens" : "closes") }
        if before.stored != after.stored { effects.append("writes") }
        let (work, next) = (before.stored.work, after.stored.work)
        if next.registrations.contains(where: { !work.registrations.contains($0) }) { effects.append("registers") }
        let pending = work.deletions.map(\.clientId)
        if next.deletions.contains(where: { !pending.contains($0.clientId) }) { effects.append("deletes") }
        return (after, effects)
    }

    /// The part of `CommandsAndConsent.md` between the two comments.
    static var markdown: String {
        var lines = ["| Event | " + columns.map(\.name).joined(separator: " | ") + " |"]
        lines.append("|---" + String(repeating: "|---", count: columns.count) + "|")
        var transitions: [String: [String]] = [:]
        for row in rows {
            let cells = columns.map { column -> String in
                let (after, effects) = effects(of: row.event, on: column.state)
                guard after.standing != column.state.standing else {
                    return effects.isEmpty ? "–" : effects.joined(separator: ", ")
                }
                let transition = "\(column.state.standing) → \(after.standing)"
                if transitions[transition]?.last != row.name { transitions[transition, default: []].append(row.name) }
                return (["**\(after.standing)**"] + effects).joined(separator: ", ")
            }
            lines.append("| \(row.name) | " + cells.joined(separator: " | ") + " |")
        }
        lines += ["", "The transitions:", "", "```"]
        let standings = ConsentState.Standing.allCases
        for transition in standings.flatMap({ from in standings.map { "\(from) → \($0)" } }) {
            guard let names = transitions[transition] else { continue }
            let padding = String(repeating: " ", count: max(1, 24 - transition.count))
            lines.append(transition + padding + names.joined(separator: "; "))
        }
        return (lines + ["```"]).joined(separator: "\n")
    }
}

extension ConsentState {
    /// Whether events are recorded.
    var records: Bool { isOpen && pause.isEmpty }
}
