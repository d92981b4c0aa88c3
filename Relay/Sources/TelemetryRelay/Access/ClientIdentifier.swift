import Foundation
@_spi(_Unicode) import Swift

/// Validates and normalizes client identifiers from requests.
enum ClientIdentifier {
    /// The maximum length of an identifier, in bytes of UTF-8.
    static let maximumBytes = 1_024

    /// Whether an event may have the identifier, or none.
    static func isValid(_ text: String?) -> Bool { text.map { (1...maximumBytes).contains($0.utf8.count) } ?? true }

    static func check(_ text: String, place: String) throws(Problem) {
        guard isValid(text) else {
            throw .invalidArgument("\(place) has to have 1 to \(maximumBytes) bytes of UTF-8.")
        }
    }

    /// The identifier in Unicode normalization form C. Does not use Foundation, whose implementation on Linux composes characters
    /// outside the Basic Multilingual Plane incorrectly.
    static func normalized(_ text: String) -> String {
        guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text }
        var scalars = String.UnicodeScalarView()
        for scalar in text._nfc { scalars.append(scalar) }
        return String(scalars)
    }
}
