#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Why a text is not a query, or why a query cannot be answered.
public struct TelemetryQueryError: Error, LocalizedError, Sendable, Hashable {
    /// What was expected; for a query that cannot be answered, the limit that it exceeds.
    public let message: String
    /// The position in the query's text, in bytes of UTF-8: the beginning of the part that is not allowed there, the opening of a quotation
    /// or parenthesis that is not closed, or the text's length if something is missing at the end. 0 for a query that cannot be answered.
    public let offset: Int

    /// Creates an error; the parameters are the properties of the same names.
    public init(message: String, offset: Int) {
        self.message = message
        self.offset = offset
    }

    public var errorDescription: String? { message }
}
