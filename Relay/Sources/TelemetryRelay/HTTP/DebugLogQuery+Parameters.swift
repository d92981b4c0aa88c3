import Foundation
@_spi(Tooling) import TelemetryModels

extension DebugLogQuery {
    /// The names of parameters.
    enum Parameter: String, CaseIterable {
        case source, level, event, text
        case correlationId = "correlation_id"
        case sessionId = "session_id"
        case deviceId = "device_id"
        case since, until, cursor, order, limit, wait
    }

    /// A parameter that cannot be meant.
    struct Malformed: Error, CustomStringConvertible { let description: String }

    /// The largest page.
    static let maximumLimit = 1000
    /// The longest text to look for, in bytes of UTF-8: as long as an event's name can be.
    static let maximumText = DebugLog.eventLimit
    /// The longest wait, in seconds; what lies between a client and the relay may close a connection that is silent for longer.
    static let maximumWait = 60

    /// Reads a request's query; an unknown name is an error, since a filter that is misspelt would find everything.
    init(_ parameters: [(name: String, value: String)]) throws {
        self.init()
        func read<Value>(_ name: String, _ value: Value?, _ form: String) throws -> Value {
            guard let value else { throw Malformed(description: "\(name) has to be \(form)") }
            return value
        }
        for (name, value) in parameters {
            guard let parameter = Parameter(rawValue: name) else {
                throw Malformed(description: "there is no parameter \(DebugLogBatch.shortened(name))")
            }
            switch parameter {
            case .source: source = try read(name, DebugLog.Source(rawValue: value), Self.list(DebugLog.Source.allCases))
            case .level: level = try read(name, DebugLog.Level(rawValue: value), Self.list(DebugLog.Level.allCases))
            case .event: event = try read(name, Self.text(value), "at most \(Self.maximumText) bytes long, without NUL")
            case .text: text = try read(name, Self.text(value), "at most \(Self.maximumText) bytes long, without NUL")
            case .correlationId: correlationId = try read(name, UUID(uuidString: value), "a UUID")
            case .sessionId: sessionId = try read(name, UUID(uuidString: value), "a UUID")
            case .deviceId: deviceId = try read(name, UUID(uuidString: value), "a UUID")
            case .since: since = try read(name, TimestampText.date(from: value), "a date in ISO 8601, in UTC")
            case .until: until = try read(name, TimestampText.date(from: value), "a date in ISO 8601, in UTC")
            case .cursor: cursor = try read(name, Int64(value), "a cursor that the relay gave")
            case .order: isDescending = try read(name, ["asc": false, "desc": true][value], "asc or desc")
            case .limit:
                let number = Int(value).flatMap { (1...Self.maximumLimit).contains($0) ? $0 : nil }
                limit = try read(name, number, "a number from 1 to \(Self.maximumLimit)")
            case .wait:
                let seconds = Int(value).flatMap { (0...Self.maximumWait).contains($0) ? $0 : nil }
                wait = .seconds(try read(name, seconds, "a number of seconds from 0 to \(Self.maximumWait)"))
            }
        }
        if isDescending, wait > .zero { throw Malformed(description: "wait goes with order=asc: what arrives is newest") }
    }

    private static func text(_ value: String) -> String? {
        value.utf8.count <= maximumText && !value.utf8.contains(0) ? value : nil
    }

    private static func list(_ values: [some RawRepresentable<String>]) -> String {
        "one of " + values.map(\.rawValue).joined(separator: ", ")
    }
}
