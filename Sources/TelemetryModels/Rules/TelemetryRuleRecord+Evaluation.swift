#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension TelemetryRuleRecord {
    /// Whether the rule turns its scenario on for a client, or, with a trigger, makes the client act. The context of tasks does not
    /// count.
    /// - Parameters:
    ///   - clientId: The client's identifier; also its attribute `clientId`.
    ///   - attributes: The client's other attributes, by name.
    ///   - date: The time at which the rule is evaluated.
    public func applies(to clientId: String, attributes: [String: String], at date: Date = .now) -> Bool {
        guard isEnabled, isReadable, isActionable, !hasExpired(at: date) else { return false }
        let isFulfilled = conditions.allSatisfy { condition in
            condition.holds(for: condition.attribute == "clientId" ? clientId : attributes[condition.attribute])
        }
        return isFulfilled && samples(clientId)
    }

    /// A client's position in a rule, from 0 up to but not including 100. The rule applies if the position is below the
    /// percentage, so raising the percentage only adds clients.
    ///
    /// The first eight bytes, big-endian, of the SHA-256 of the rule's identifier, a line feed and the client's identifier, both
    /// in Unicode's normalization form C and in UTF-8, divided by 2^64, times 100.
    public static func position(ofClient clientId: String, inRule ruleId: String) -> Double {
        // Nothing composes with a line feed, so the form of both is that of each.
        let message = ComposedForm.utf8(of: ruleId + "\n" + clientId)
        let bits = SHA256.digest(of: message).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        // The largest numbers round up to 2^64.
        return min(Double(bits) / 0x1p64 * 100, (100.0).nextDown)
    }

    /// Whether a client can do what the trigger demands.
    private var isActionable: Bool {
        guard let trigger else { return true }
        if case .capture = trigger.action, !contextConditions.isEmpty { return false }
        return trigger.isValid
    }

    private func hasExpired(at date: Date) -> Bool {
        guard let expires else { return false }
        return !(date < expires)
    }

    private func samples(_ clientId: String) -> Bool {
        if percentage >= 100 { return true }
        guard percentage > 0 else { return false }
        return Self.position(ofClient: clientId, inRule: ruleId) < percentage
    }
}
