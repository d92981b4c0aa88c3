import Foundation
@_spi(_Unicode) import Swift

/// Identifiers of clients, as they come from outside.
enum ClientIdentifier {
    /// The most bytes of UTF-8 in one.
    static let maximumBytes = 1_024

    static func check(_ text: String, place: String) throws(Problem) {
        guard (1...maximumBytes).contains(text.utf8.count) else {
            throw .invalidArgument("\(place) has to have 1 to \(maximumBytes) bytes of UTF-8.")
        }
    }

    /// The identifier in Unicode's normalisation form C. Foundation's own composes letters of other planes wrongly on Linux.
    static func normalized(_ text: String) -> String {
        guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text }
        var scalars = String.UnicodeScalarView()
        for scalar in text._nfc { scalars.append(scalar) }
        return String(scalars)
    }
}
