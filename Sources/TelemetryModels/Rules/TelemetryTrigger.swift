#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// When a client acts on a rule's scenario by itself: once enough events match a query.
///
/// The stored form is `{"when": …, "count": …, "within": …, "action": {"capture": {"lookback": …}}, "limit": …, "per": …}`, or with the
/// action `{"enable": {"lease": …}}`. `when` and `action` are required; the other members have the defaults of the memberwise
/// initializer. All durations are in seconds.
public struct TelemetryTrigger: Sendable, Hashable {
    /// What the client does.
    public enum Action: Sendable, Hashable {
        /// Sends the scenario's events that the flight recorder kept.
        /// - Parameter lookback: The greatest age of the events, in seconds; nil for all.
        case capture(lookback: TimeInterval?)
        /// Turns the scenario on.
        /// - Parameter lease: How long it stays on, in seconds.
        case enable(lease: TimeInterval)
    }

    /// The maximum of ``count`` and of ``limit``.
    public static let maximumCount = 10_000

    /// Which events count. A query without pipes.
    public var when: TelemetryQuery
    /// How many matching events cause an action, from 1 to ``maximumCount``.
    public var count: Int
    /// The period within which they were logged, by their own times, in seconds.
    public var within: TimeInterval
    /// What the client does.
    public var action: Action
    /// The maximum number of actions in the period ``per``, from 1 to ``maximumCount``.
    public var limit: Int
    /// The period of ``limit``, in seconds.
    public var per: TimeInterval

    /// Creates a trigger; the parameters are the properties of the same names.
    public init(
        when: TelemetryQuery, count: Int = 1, within: TimeInterval = 60, action: Action, limit: Int = 1, per: TimeInterval = 3600
    ) {
        self.when = when
        self.count = count
        self.within = within
        self.action = action
        self.limit = limit
        self.per = per
    }

    /// Whether the query has no pipes, and all numbers are within their ranges: the periods, the lookback and the lease are positive and
    /// finite. A trigger that is not valid acts on no client, and cannot be read from a stored rule.
    public var isValid: Bool {
        let counts = 1...Self.maximumCount
        let seconds =
            switch action {
            case .capture(let lookback): lookback ?? within
            case .enable(let lease): lease
            }
        return !when.hasPipes && counts.contains(count) && counts.contains(limit)
            && [within, per, seconds].allSatisfy { $0 > 0 && $0.isFinite }
    }
}

extension TelemetryTrigger: Codable {
    private enum Key: String, CodingKey { case when, count, within, action, limit, per }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        self.init(
            when: try container.decode(TelemetryQuery.self, forKey: .when),
            action: try container.decode(Action.self, forKey: .action))
        count = try container.decodeIfPresent(Int.self, forKey: .count) ?? count
        within = try container.decodeIfPresent(TimeInterval.self, forKey: .within) ?? within
        limit = try container.decodeIfPresent(Int.self, forKey: .limit) ?? limit
        per = try container.decodeIfPresent(TimeInterval.self, forKey: .per) ?? per
        guard isValid else {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: decoder.codingPath,
                    debugDescription: "The trigger's query has pipes, or a number is out of range."))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(when, forKey: .when)
        try container.encode(count, forKey: .count)
        try container.encode(within, forKey: .within)
        try container.encode(action, forKey: .action)
        try container.encode(limit, forKey: .limit)
        try container.encode(per, forKey: .per)
    }
}

extension TelemetryTrigger.Action: Codable {
    private enum Key: String, CodingKey { case capture, enable }
    private enum CaptureKey: String, CodingKey { case lookback }
    private enum EnableKey: String, CodingKey { case lease }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        switch (container.contains(.capture), container.contains(.enable)) {
        case (true, false):
            let capture = try container.nestedContainer(keyedBy: CaptureKey.self, forKey: .capture)
            self = .capture(lookback: try capture.decodeIfPresent(TimeInterval.self, forKey: .lookback))
        case (false, true):
            let enable = try container.nestedContainer(keyedBy: EnableKey.self, forKey: .enable)
            self = .enable(lease: try enable.decode(TimeInterval.self, forKey: .lease))
        default:
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "Expected one of the actions capture and enable."))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        switch self {
        case .capture(let lookback):
            var capture = container.nestedContainer(keyedBy: CaptureKey.self, forKey: .capture)
            try capture.encodeIfPresent(lookback, forKey: .lookback)
        case .enable(let lease):
            var enable = container.nestedContainer(keyedBy: EnableKey.self, forKey: .enable)
            try enable.encode(lease, forKey: .lease)
        }
    }
}
