public import Foundation
public import TelemetryModels

extension TelemetryClientRecord {
    /// The names of ``attributes``. Clients evaluate rules with more attributes, which the store does not contain.
    public static let attributeNames = ["clientId", "appVersion", "osVersion", "deviceModel", "libraryVersion"]

    /// The attributes in the client's record, by the names that conditions use. One that the client has not written is missing.
    public var attributes: [String: String] {
        let values: [String?] = [clientId, appVersion, osVersion, deviceModel, libraryVersion]
        return zip(Self.attributeNames, values).reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
}

extension TelemetryRuleCondition {
    /// Whether the condition can be evaluated with the store's record of a client.
    public var isKnownToViewers: Bool { TelemetryClientRecord.attributeNames.contains(attribute) }

    /// The condition with identifiers in place of the aliases among the values for `clientId`.
    public func resolving(_ aliases: ClientAliases) -> TelemetryRuleCondition {
        guard attribute == "clientId" else { return self }
        return TelemetryRuleCondition(attribute, comparison, values.map { aliases.identifiers[$0] ?? $0 })
    }
}

extension TelemetryRuleRecord {
    /// The number of approved clients to which the rule applies; nil if its conditions need attributes that the store lacks.
    public func applicableCount(among clients: [TelemetryClientRecord], now: Date) -> Int? {
        guard conditions.allSatisfy(\.isKnownToViewers) else { return nil }
        return clients.count { reaches($0, now: now) }
    }

    /// Whether the client is approved and, according to its record, the rule applies to it.
    public func reaches(_ client: TelemetryClientRecord, now: Date) -> Bool {
        client.isEnabled && applies(to: client.clientId, attributes: client.attributes, at: now)
    }
}
