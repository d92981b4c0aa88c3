#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Dates in stored forms, whatever strategy the coder has.
extension KeyedEncodingContainer {
    /// Writes the date as text.
    /// - Throws: `EncodingError.invalidValue` for a date outside the years 1 to 9999.
    package mutating func encodeTimestamp(_ date: Date, forKey key: Key) throws {
        guard let text = TimestampFormat.string(from: date) else {
            // Not the date itself: the description of one that is not a number ends the process on Linux.
            throw EncodingError.invalidValue(
                date.timeIntervalSince1970,
                .init(codingPath: codingPath + [key], debugDescription: "a date outside the years 1 to 9999"))
        }
        try encode(text, forKey: key)
    }

    package mutating func encodeTimestampIfPresent(_ date: Date?, forKey key: Key) throws {
        if let date { try encodeTimestamp(date, forKey: key) }
    }
}

extension KeyedDecodingContainer {
    /// Reads a date from its text.
    /// - Throws: `DecodingError` where the text is missing, or no date in UTC.
    package func decodeTimestamp(forKey key: Key) throws -> Date {
        let text = try decode(String.self, forKey: key)
        guard let date = TimestampFormat.date(from: text) else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: self, debugDescription: "\(text) is not an ISO 8601 date in UTC")
        }
        return date
    }

    package func decodeTimestampIfPresent(forKey key: Key) throws -> Date? {
        guard contains(key), try !decodeNil(forKey: key) else { return nil }
        return try decodeTimestamp(forKey: key)
    }
}
