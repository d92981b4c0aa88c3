import TelemetryModels

/// The trace and the span in which an event was logged, from its attributes.
struct TraceContext: Equatable {
    /// The attribute with the trace's identifier: 32 hexadecimal digits, not all 0.
    static let traceAttribute = "trace_id"
    /// The attribute with the span's identifier: 16 hexadecimal digits, not all 0.
    static let spanAttribute = "span_id"

    /// In lower case; nil if the event has no valid identifier.
    let traceId: String?
    /// In lower case; nil if the event has no valid identifier, or none of its trace.
    let spanId: String?

    init(_ attributes: [String: TelemetryValue]) {
        traceId = Self.identifier(attributes[Self.traceAttribute], digits: 32)
        spanId = traceId == nil ? nil : Self.identifier(attributes[Self.spanAttribute], digits: 16)
    }

    /// Whether the attribute is represented by one of the identifiers.
    func represents(_ name: String) -> Bool {
        switch name {
        case Self.traceAttribute: traceId != nil
        case Self.spanAttribute: spanId != nil
        default: false
        }
    }

    private static func identifier(_ value: TelemetryValue?, digits: Int) -> String? {
        guard let text = value?.stringValue?.lowercased(), text.utf8.count == digits else { return nil }
        let hexadecimal = text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
        return hexadecimal && text.utf8.contains { $0 != 0x30 } ? text : nil
    }
}
