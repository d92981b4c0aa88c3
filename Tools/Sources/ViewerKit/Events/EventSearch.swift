public import TelemetryModels

/// Searches the strings of an event, case-insensitive.
public struct EventSearch: Sendable {
    private let wanted: String
    /// The lowercase bytes of an ASCII search text, for which comparing bytes is sufficient.
    private let bytes: [UInt8]?

    public init(_ text: String) {
        wanted = text.lowercased()
        bytes = wanted.utf8.allSatisfy { $0 < 0x80 } ? Array(wanted.utf8) : nil
    }

    public func matches(_ event: TelemetryEvent) -> Bool {
        wanted.isEmpty || contains(event.name) || contains(event.property1 ?? "") || contains(event.scenario ?? "")
            || event.attributes.contains { contains($0.key) || contains($0.value.plain) }
    }

    private func contains(_ text: String) -> Bool {
        guard let bytes else { return text.lowercased().contains(wanted) }
        guard text.utf8.count >= bytes.count else { return false }
        var text = text
        return text.withUTF8 { utf8 in
            for start in 0...utf8.count - bytes.count {
                var index = 0
                while index < bytes.count, Self.lowered(utf8[start + index]) == bytes[index] { index += 1 }
                if index == bytes.count { return true }
            }
            return false
        }
    }

    private static func lowered(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
}
