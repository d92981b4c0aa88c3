#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The stored form: empty fields are omitted, and a missing field is empty.
extension TelemetryPendingWork: Codable {
    private enum CodingKeys: String, CodingKey { case registrations, isBackupOutdated, backedUp, deletions }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let backedUp = try container.decodeIfPresent(TelemetrySettings.self, forKey: .backedUp)
        let isOutdated = try container.decodeIfPresent(Bool.self, forKey: .isBackupOutdated) ?? false
        self.init(
            registrations: try container.decodeIfPresent([String].self, forKey: .registrations) ?? [],
            backup: isOutdated ? .outdated : backedUp.map(Backup.holds) ?? .unknown,
            deletions: try container.decodeIfPresent([Deletion].self, forKey: .deletions) ?? [])
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        if !registrations.isEmpty { try container.encode(registrations, forKey: .registrations) }
        switch backup {
        case .unknown: break
        case .holds(let settings): try container.encode(settings, forKey: .backedUp)
        case .outdated: try container.encode(true, forKey: .isBackupOutdated)
        }
        if !deletions.isEmpty { try container.encode(deletions, forKey: .deletions) }
    }
}

extension TelemetryPendingWork.Deletion: Codable {
    private enum CodingKeys: String, CodingKey {
        case clientId, sessionEnd, command, eventsOnly = "isOfEventsOnly", scenariosOnly, doneAt, sessions, endsConsent,
            endsOnReturn
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            clientId: try container.decode(String.self, forKey: .clientId),
            sessionEnd: try container.decodeTimestampIfPresent(forKey: .sessionEnd),
            command: try container.decodeIfPresent(TelemetryRecord.ID.self, forKey: .command),
            eventsOnly: try container.decodeIfPresent(Bool.self, forKey: .eventsOnly) ?? false,
            scenariosOnly: try container.decodeIfPresent(Bool.self, forKey: .scenariosOnly) ?? false,
            doneAt: try container.decodeTimestampIfPresent(forKey: .doneAt),
            sessions: try container.decodeIfPresent([String].self, forKey: .sessions) ?? [],
            endsConsent: try container.decodeIfPresent(Int.self, forKey: .endsConsent),
            endsOnReturn: try container.decodeIfPresent(Bool.self, forKey: .endsOnReturn) ?? false)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(clientId, forKey: .clientId)
        try container.encodeTimestampIfPresent(sessionEnd, forKey: .sessionEnd)
        try container.encodeIfPresent(command, forKey: .command)
        if eventsOnly { try container.encode(true, forKey: .eventsOnly) }
        if scenariosOnly { try container.encode(true, forKey: .scenariosOnly) }
        try container.encodeTimestampIfPresent(doneAt, forKey: .doneAt)
        if !sessions.isEmpty { try container.encode(sessions, forKey: .sessions) }
        try container.encodeIfPresent(endsConsent, forKey: .endsConsent)
        if endsOnReturn { try container.encode(true, forKey: .endsOnReturn) }
    }
}
