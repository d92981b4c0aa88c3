import Foundation

/// An event's identifier: what precedes a dash and a number, and the number; or, if it does not end like that, all of it.
///
/// The library's identifiers are a session and a sequence number, so that those of a session's events are an interval.
struct NumberedIdentifier: Sendable, Hashable {
    let prefix: Data
    /// Nil if all of the identifier is the prefix.
    let number: Int64?

    /// The maximum number of digits, so that every number fits.
    private static let maximumDigits = 18
    /// The first number with more digits.
    private static let limit: UInt64 = 1_000_000_000_000_000_000

    /// The identifier of a prefix, a dash and a number; nil for a number with too many digits.
    /// - Parameter prefix: the prefix's key.
    init?(prefix: Data, number: UInt64) {
        guard number < Self.limit else { return nil }
        (self.prefix, self.number) = (prefix, Int64(number))
    }

    init(_ text: String) {
        let digits = text.utf8.reversed().prefix(Self.maximumDigits + 1).prefix {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
        }
        let rest = text.utf8.dropLast(digits.count)
        // A number with a leading zero would have the same value as the one without.
        let isNumber =
            (1...Self.maximumDigits).contains(digits.count) && rest.last == UInt8(ascii: "-")
            && (digits.count == 1 || digits.last != UInt8(ascii: "0"))
        guard isNumber,
            let number = Int64(text.utf8.suffix(digits.count).reduce(into: "") { $0.unicodeScalars.append(.init($1)) })
        else {
            (prefix, number) = (NameKey.data(of: text), nil)
            return
        }
        prefix = NameKey.data(of: String(decoding: rest.dropLast(), as: UTF8.self))
        self.number = number
    }
}
