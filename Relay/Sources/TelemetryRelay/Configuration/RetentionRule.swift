public import Foundation

/// Limits for the events of the scenarios that match a pattern. The age holds instead of that for all events.
public struct RetentionRule: Sendable, Hashable {
    /// Matches scenarios by their names in Unicode's form C. An event without a scenario never matches.
    public let scenario: NamePattern
    /// The maximum age after the arrival, in seconds; nil for that of all events.
    public let age: TimeInterval?
    /// The approximate maximum size of the events of this rule as they are stored, in bytes; nil for no limit of their own.
    public let bytes: Int?

    /// Parses a text such as `Debug*=1d,100MB`: a pattern, and an age in `s`, `m`, `h` or `d`, a size of at least 1 MiB in `B`, `KB`, `MB`
    /// or `GB`, or both.
    /// - Throws: ``RelayConfigurationError``.
    public init(_ text: String) throws {
        guard let end = text.lastIndex(of: "="), end > text.startIndex else { throw Self.error(text) }
        scenario = NamePattern(ClientIdentifier.normalized(String(text[..<end])))
        var age: TimeInterval?
        var bytes: Int?
        for limit in text[text.index(after: end)...].split(separator: ",", omittingEmptySubsequences: false) {
            if age == nil, let lifetime = TokenLifetime(String(limit)) {
                age = lifetime.seconds
            } else if bytes == nil, let size = Self.size(limit), RelayNumber.maximumBytes.range.contains(size) {
                bytes = size
            } else {
                throw Self.error(text)
            }
        }
        (self.age, self.bytes) = (age, bytes)
    }

    private static func error(_ text: String) -> RelayConfigurationError {
        RelayConfigurationError(
            "retain must be a scenario and an age, a size of at least 1MB, or both, such as Debug*=1d,100MB, not \(text)")
    }

    /// The bytes of a size with a unit; nil if it is not one, or too large.
    private static func size(_ text: Substring) -> Int? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        let units = ["": 1, "B": 1, "KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30]
        guard let unit = units[String(text[digits.endIndex...])], let number = Int(digits) else { return nil }
        let (bytes, isTooLarge) = number.multipliedReportingOverflow(by: unit)
        return isTooLarge ? nil : bytes
    }
}
