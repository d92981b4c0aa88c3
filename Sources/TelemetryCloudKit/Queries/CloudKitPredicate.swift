package import Foundation
package import TelemetryModels
package import TelemetryTransport

/// The predicate of a CloudKit query: a format of `NSPredicate` and its arguments.
///
/// CloudKit ignores case in strings and joins conditions only by AND, so a predicate may match more than the filter. The caller
/// applies the filter to the results.
package struct CloudKitPredicate: Sendable, Equatable {
    package enum Argument: Sendable, Equatable {
        /// A field's name, for `%K`.
        case field(String)
        case string(String)
        case strings([String])
        case int(Int64)
        case double(Double)
        case date(Date)
    }

    package private(set) var format = "TRUEPREDICATE"
    package private(set) var arguments: [Argument] = []

    package init() {}

    /// The maximum number of values in a list. CloudKit refuses more than 250 values in a query, and was reported to fail from
    /// 193; two lists of this length and the levels stay below that.
    package static let maximumListValues = 75

    /// The predicates of the queries that together find the events that the filter may match; empty if it can match none.
    ///
    /// There are several if the filter has more names or scenarios than a query may have. An event may match several of them,
    /// because CloudKit ignores case.
    /// - Parameter created: If given, only events that the server received at this time or later.
    package static func queries(for filter: TelemetryEventFilter, created: Date? = nil) -> [Self] {
        lists(of: filter.scenarios).flatMap { scenarios in
            lists(of: filter.names).compactMap { names in
                var part = filter
                (part.scenarios, part.names) = (scenarios, names)
                return Self(part, created: created)
            }
        }
    }

    /// The values in lists of at most ``maximumListValues``; one list for nil and for no values.
    private static func lists(of values: Set<String>?) -> [Set<String>?] {
        guard let values, values.count > maximumListValues else { return [values] }
        let sorted = values.sorted()
        return stride(from: 0, to: sorted.count, by: maximumListValues).map { start in
            Set(sorted[start..<min(start + maximumListValues, sorted.count)])
        }
    }

    /// The events that the filter, whose lists are short enough, may match; nil if it can match none.
    private init?(_ filter: TelemetryEventFilter, created: Date?) {
        typealias Field = TelemetrySchema.Field
        for choice in [filter.scenarios, filter.names, filter.levels.map { Set($0.map(\.rawValue)) }]
        where choice?.isEmpty == true {
            return nil
        }
        if let created { add(Self.creationDate, ">=", .date(created)) }
        if let clientId = filter.clientId { add(Field.clientId.rawValue, "==", .string(clientId)) }
        if let sessionId = filter.sessionId { add(Field.sessionId.rawValue, "==", .string(sessionId)) }
        if let scenarios = filter.scenarios { add(Field.scenario.rawValue, "IN", .strings(scenarios.sorted())) }
        if let levels = filter.levels { add(Field.logLevel.rawValue, "IN", .strings(levels.map(\.rawValue).sorted())) }
        if let names = filter.names { add(Field.eventName.rawValue, "IN", .strings(names.sorted())) }
        if let since = filter.since { add(Field.eventTimestamp.rawValue, ">=", .date(Self.wholeMilliseconds(since))) }
        if let until = filter.until { add(Field.eventTimestamp.rawValue, "<", .date(until)) }
    }

    /// The records that the query may match. Only conditions on indexed CloudKit fields can be included.
    package init(_ query: TelemetryRecordQuery) {
        for (field, value) in query.conditions.sorted(by: { $0.key < $1.key }) {
            guard CloudKitField.kind(of: field, in: query.recordType)?.holds(value) ?? false,
                CloudKitField.isIndexed(field, in: query.recordType),
                !CloudKitReceipt.canChange(field, in: query.recordType)
            else { continue }
            add(field, "==", Argument(value))
        }
    }

    /// A record's arrival date at the server, a system field of CloudKit.
    package static let creationDate = "creationDate"

    /// The fields that a filter compares, and those that are required to read an event.
    package static let filterFields: [String] =
        [
            TelemetrySchema.Field.eventName, .sessionId, .eventTimestamp, .clientId, .scenario, .logLevel,
        ].map(\.rawValue) + [CloudKitField.exactTime]

    /// The date with CloudKit's precision.
    private static func wholeMilliseconds(_ date: Date) -> Date {
        Date(timeIntervalSince1970: (date.timeIntervalSince1970 * 1_000).rounded(.down) / 1_000)
    }

    private mutating func add(_ field: String, _ comparison: String, _ value: Argument) {
        let condition = "%K \(comparison) %@"
        format = arguments.isEmpty ? condition : "\(format) AND \(condition)"
        arguments += [.field(field), value.normalized]
    }
}

extension CloudKitPredicate.Argument {
    package init(_ value: TelemetryValue) {
        switch value {
        case .string(let text): self = .string(text)
        case .int(let number): self = .int(number)
        case .double(let number): self = .double(number)
        case .bool(let flag): self = .int(flag ? 1 : 0)
        case .date(let date): self = .date(date)
        }
    }

    /// Strings as they are stored: in one spelling for all that are equal.
    fileprivate var normalized: Self {
        switch self {
        case .string(let text): .string(CanonicalForm.text(of: text))
        case .strings(let texts): .strings(texts.map(CanonicalForm.text(of:)))
        default: self
        }
    }
}
