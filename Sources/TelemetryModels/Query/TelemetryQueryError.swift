#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Why a text is not a query, or why a query cannot be answered.
public struct TelemetryQueryError: Error, LocalizedError, Sendable, Hashable {
    /// What was expected; for a query that cannot be answered, the limit that it exceeds.
    public let message: String
    /// The place in the query's text, in bytes of UTF-8: where the part begins that cannot be there, where a quotation or a parenthesis
    /// that is not closed was opened, or the text's length if something is missing at the end. 0 for a query that cannot be answered.
    public let offset: Int

    /// Creates an error; the parameters are the properties of the same names.
    public init(message: String, offset: Int) {
        self.message = message
        self.offset = offset
    }

    public var errorDescription: String? { message }
}
