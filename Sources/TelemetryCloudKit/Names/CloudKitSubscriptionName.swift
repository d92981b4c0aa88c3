package import TelemetryTransport

/// The subscription's name in CloudKit, which encodes all of the subscription's properties.
///
/// A CloudKit push contains only the subscription's name, and the predicate of a stored subscription cannot be parsed. The
/// standard names, "TelemetryScenario-All" and "TelemetryCommand-<client>", already contain them and are not changed; any other
/// is encoded as `custom_<all or one>_<type>_<id>_<client>` with the parts escaped.
package enum CloudKitSubscriptionName {
    private static let custom = "custom_"
    private static let allClients = "All"

    /// Nil if the subscription's parts are too long for a name.
    package static func name(for subscription: TelemetrySubscription) -> String? {
        let canonical = "\(subscription.recordType)-\(subscription.clientId ?? allClients)"
        if subscription.id == canonical { return canonicalName(forID: canonical) }
        let parts = [subscription.recordType, subscription.id, subscription.clientId ?? ""].map(CloudKitName.escaped)
        let name = custom + ([subscription.clientId == nil ? "all" : "one"] + parts).joined(separator: "_")
        return name.utf8.count <= CloudKitName.maximumLength ? name : nil
    }

    /// Returns the subscription with a stored name. If the client's identifier is too long for a name, it is hashed; such a name
    /// can be read only if `id` is the subscription's identifier.
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

    /// The record type of the subscription with this name.
    package static func recordType(ofName name: String) -> String? {
        if let subscription = subscription(named: name) { return subscription.recordType }
        return name.split(separator: "-").first.map(String.init)
    }

    private static func readable(_ name: String) -> String? {
        name.contains(longMark) ? nil : CloudKitName.recordName(from: name)
    }

    /// The type stays readable even if the rest is hashed.
    private static func canonicalName(forID id: String) -> String {
        let name = CloudKitName.name(for: id)
        guard CloudKitName.recordName(from: name) == nil else { return name }
        let type = id.prefix { $0 != "-" }
        return "\(CloudKitName.escaped(String(type)).prefix(60))\(longMark)\(CloudKitName.eventName(for: id).suffix(150))"
    }

    /// Separates a readable type and a hash; no other name of this package contains it.
    private static let longMark = "-_long_"
}
