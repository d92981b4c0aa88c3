#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The JSON text of a record's field.
enum StoredJSON {
    static func text(of value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "Infinity", negativeInfinity: "-Infinity", nan: "NaN")
        return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    static func value<Value: Decodable>(_ type: Value.Type, of text: String) -> Value? {
        try? JSONDecoder().decode(type, from: Data(text.utf8))
    }
}

extension [TelemetryRuleCondition] {
    /// Conditions that nothing fulfils, in place of some that cannot be read.
    package static let unreadable = [TelemetryRuleCondition("", .oneOf, [])]

    /// The stored form of conditions on the context; nil if there are none.
    package var storedContext: TelemetryValue? { isEmpty ? nil : .string(StoredJSON.text(of: self)) }

    /// Reads the stored form: no conditions for nil, and ``unreadable`` for what cannot be read.
    init(storedContext: TelemetryValue?) {
        guard let storedContext else {
            self = []
            return
        }
        self = storedContext.stringValue.flatMap { StoredJSON.value(Self.self, of: $0) } ?? .unreadable
    }

    /// Whether all conditions hold for the values of a context.
    package func hold(in context: [String: String]) -> Bool { allSatisfy { $0.holds(for: context[$0.attribute]) } }

    /// Whether all conditions hold for the values of a context, and whether others could change that.
    package func decision(in context: [String: String]) -> ContextDecision {
        let decided = filter { context[$0.attribute] != nil }
        return ContextDecision(holds: hold(in: context), isOpen: decided.count < count && decided.hold(in: context))
    }
}
