package import TelemetryTransport

/// The subscription's name at CloudKit, which carries all that the subscription says.
///
/// A CloudKit push contains only the subscription's name, and the predicate of a stored subscription cannot be parsed.
/// The documents' names, "TelemetryScenario-All" or "TelemetryCommand-<client>", say everything already, and stay as they are;
/// any other is written as `custom_<all or one>_<type>_<id>_<client>` with the parts escaped.
package enum CloudKitSubscriptionName {
    private static let custom = "custom_"
    private static let allClients = "All"

    /// Nil where the subscription's parts are too long for a name.
    package static func name(for subscription: TelemetrySubscription) -> String? {
        let canonical = "\(subscription.recordType)-\(subscription.clientId ?? allClients)"
        if subscription.id == canonical { return canonicalName(forID: canonical) }
        let parts = [subscription.recordType, subscription.id, subscription.clientId ?? ""].map(CloudKitName.escaped)
        let name = custom + ([subscription.clientId == nil ? "all" : "one"] + parts).joined(separator: "_")
        return name.utf8.count <= CloudKitName.maximumLength ? name : nil
    }

    /// What a stored name says. A client's identifier may be longer than any name and is then hashed; such a name is understood
    /// only where `id` says which subscription is looked for.
    package static func subscription(
        named name: String, lookingFor id: TelemetrySubscription.ID? = nil
    ) -> TelemetrySubscription? {
        if name.hasPrefix(custom) {
            let parts = name.dropFirst(custom.count).split(separator: "_", omittingEmptySubsequences: false)
            guard parts.count == 4 else { return nil }
            let texts = parts.dropFirst().compactMap(CloudKitName.unescaped)
            guard texts.count == 3 else { return nil }
            return TelemetrySubscription(id: texts[1], recordType: texts[0], clientId: parts[0] == "all" ? nil : texts[2])
        }
        let hashedID = id.flatMap { canonicalName(forID: $0) == name ? $0 : nil }
        guard let text = hashedID ?? readable(name), let dash = text.firstIndex(of: "-") else { return nil }
        let client = String(text[text.index(after: dash)...])
        return TelemetrySubscription(
            id: text, recordType: String(text[..<dash]), clientId: client == allClients ? nil : client)
    }

    /// The type of the records that a subscription of this name is about.
    package static func recordType(ofName name: String) -> String? {
        if let subscription = subscription(named: name) { return subscription.recordType }
        return name.split(separator: "-").first.map(String.init)
    }

    private static func readable(_ name: String) -> String? {
        name.contains(longMark) ? nil : CloudKitName.recordName(from: name)
    }

    /// The type stays readable also where the rest is hashed.
    private static func canonicalName(forID id: String) -> String {
        let name = CloudKitName.name(for: id)
        guard CloudKitName.recordName(from: name) == nil else { return name }
        let type = id.prefix { $0 != "-" }
        return "\(CloudKitName.escaped(String(type)).prefix(60))\(longMark)\(CloudKitName.eventName(for: id).suffix(150))"
    }

    /// Between a readable type and a hash; `_` occurs in no other name of ours.
    private static let longMark = "-_long_"
}
