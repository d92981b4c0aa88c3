import TelemetryModels
import TelemetryPersistence

@testable import TelemetryLifecycle

/// The table of consent's transitions: every event in every standing, as ``ConsentState`` handles it.
struct ConsentTable {
    /// The client, and another one of which a late answer may tell.
    static let (client, other) = ("A", "B")

    /// The events of the table, with their names in it.
    static let events: [(name: String, event: ConsentEvent)] = [
        ("the user opts in", .optedIn(client: client)),
        ("the user opts out", .optedOut(used: client)),
        ("the opt-out is in the settings", .refusalRecorded(in: .settings)),
        ("the opt-out is in the marker", .refusalRecorded(in: .marker)),
        ("the opt-out is in memory only", .refusalRecorded(in: .memory)),
        ("a backup is restored", .restored(.init(telemetryRequested: true, clientIdentifier: client))),
        ("the record is enabled", .approved(client: client)),
        ("the record is not enabled yet", .notApproved(client: client)),
        ("the record is no longer enabled, or a command disables", .revoked(client: client, command: nil)),
        ("the record was deleted", .removed(client: client)),
        ("the host or the viewer pauses", .paused(by: .byHost)),
        ("nobody pauses any more", .paused(by: [])),
        ("a client is chosen", .identified(client: client)),
        ("the process uses the client", .used(client: client)),
        ("the record exists", .registered(client: client)),
        ("the store cannot be reached", .unreachable),
        ("telemetry is found off", .foundOff),
        ("the logger finds the consent ended", .foundEnded),
        ("another process replaced the client", .departed(client: client)),
        ("the client's data is deleted", .deleted(deletion)),
    ]

    /// The deletion that is pending after an opt-out.
    private static var deletion: TelemetryPendingWork.Deletion {
        state(.leaving).stored.work.deletions.first ?? .init(clientId: client)
    }

    /// A state of each standing, as it comes about.
    static func state(_ standing: ConsentState.Standing) -> ConsentState {
        let path: [ConsentEvent] =
            switch standing {
            case .off: [.foundOff]
            case .requested: [.optedIn(client: client), .used(client: client), .notApproved(client: client)]
            case .approved: [.optedIn(client: client), .used(client: client), .approved(client: client)]
            case .paused: [.optedIn(client: client), .used(client: client), .approved(client: client), .paused(by: .byHost)]
            case .withdrawn: [.optedIn(client: client), .used(client: client), .optedOut(used: client)]
            case .leaving:
                [.optedIn(client: client), .used(client: client), .optedOut(used: client), .refusalRecorded(in: .settings)]
            }
        var state = ConsentState()
        for event in path { state.handle(event) }
        return state
    }

    /// What an event changes.
    static func effects(of event: ConsentEvent, on before: ConsentState) -> (state: ConsentState, text: [String]) {
        var after = before
        after.handle(event)
        var text: [String] = []
        if before.records != after.records { text.append(after.records ? "opens" : "closes") }
        if before.stored != after.stored { text.append("writes") }
        if Set(after.stored.work.registrations).subtracting(before.stored.work.registrations) != [] { text.append("registers") }
        let pending = before.stored.work.deletions.map(\.clientId)
        if after.stored.work.deletions.contains(where: { !pending.contains($0.clientId) }) { text.append("deletes") }
        return (after, text)
    }

    /// The part of `CommandsAndConsent.md` between the two comments.
    static var markdown: String {
        let standings = ConsentState.Standing.allCases
        var lines = ["| Event | " + standings.map(\.rawValue).joined(separator: " | ") + " |"]
        lines.append("|---" + String(repeating: "|---", count: standings.count) + "|")
        var ways: [String: [String]] = [:]
        for (name, event) in events {
            let cells = standings.map { standing -> String in
                let (after, effects) = effects(of: event, on: state(standing))
                if after.standing != standing { ways["\(standing) → \(after.standing)", default: []].append(name) }
                let next = after.standing == standing ? [] : ["**\(after.standing)**"]
                return (next + effects).isEmpty ? "–" : (next + effects).joined(separator: ", ")
            }
            lines.append("| \(name) | " + cells.joined(separator: " | ") + " |")
        }
        lines += ["", "The ways from one standing to another:", "", "```"]
        for way in standings.flatMap({ from in standings.map { "\(from) → \($0)" } }) {
            guard let names = ways[way] else { continue }
            lines.append(way + String(repeating: " ", count: max(1, 24 - way.count)) + names.joined(separator: "; "))
        }
        return (lines + ["```"]).joined(separator: "\n")
    }
}

extension ConsentState {
    /// Whether events are recorded.
    var records: Bool { isOpen && pause.isEmpty }
}
