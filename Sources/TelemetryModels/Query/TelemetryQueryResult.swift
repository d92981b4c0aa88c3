#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What a query found: rows of a table after `stats`, `top` or `fields`, otherwise events.
public struct TelemetryQueryResult: Sendable, Hashable {
    /// One value of a row.
    public enum Value: Sendable, Hashable {
        /// The field is missing, or there was nothing to compute the value of.
        case null
        /// A string. The key of a group is one, whatever its field contains.
        case string(String)
        /// An integer.
        case int(Int64)
        /// A floating-point number.
        case double(Double)
        /// A Boolean.
        case bool(Bool)
        /// A date, or the beginning of a group's span of time.
        case date(Date)
    }

    /// The names of the columns; empty if the result is events.
    public var columns: [String]
    /// The rows, each with one value for each column.
    public var rows: [[Value]]
    /// The events, if the result is not a table.
    public var events: [TelemetryEvent]
    /// How many events the query's filter matched.
    public var matched: Int

    /// Creates a result; the parameters are the properties of the same names.
    public init(columns: [String] = [], rows: [[Value]] = [], events: [TelemetryEvent] = [], matched: Int = 0) {
        self.columns = columns
        self.rows = rows
        self.events = events
        self.matched = matched
    }
}

@_spi(Tooling)
extension TelemetryQueryResult {
    /// The result of an evaluation on events.
    public init(_ result: QueryEvaluation<TelemetryEvent>.Result) {
        self.init(columns: result.columns, rows: result.rows, events: result.events, matched: result.matched)
    }
}

extension TelemetryQueryResult.Value {
    /// The value of a field; `.null` if it is missing.
    package init(_ value: TelemetryValue?) {
        switch value {
        case nil: self = .null
        case .string(let text): self = .string(text)
        case .int(let number): self = .int(number)
        case .double(let number): self = .double(number)
        case .bool(let flag): self = .bool(flag)
        case .date(let date): self = .date(date)
        }
    }
}
