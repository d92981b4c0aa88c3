import Foundation
import TelemetryModels

/// The equality that a store preserves: equal bytes of texts, equal bits of numbers, and all NaNs are equal.
enum Sameness {
    static func holds(_ left: TelemetryValue, _ right: TelemetryValue) -> Bool {
        switch (left, right) {
        case (.string(let left), .string(let right)): holds(left, right)
        case (.double(let left), .double(let right)):
            left.bitPattern == right.bitPattern || left.isNaN && right.isNaN
        case (.date(let left), .date(let right)): holds(left, right)
        default: left == right
        }
    }

    static func holds(_ left: String?, _ right: String?) -> Bool {
        switch (left, right) {
        case (nil, nil): true
        case (let left?, let right?): left.utf8.elementsEqual(right.utf8)
        default: false
        }
    }

    /// Within 194 days of 2001 a `Double` is more precise than the text of a date, and milliseconds are rounded as a `Double`
    /// since 1970 is, to a quarter of a microsecond.
    static func holds(_ left: Date, _ right: Date) -> Bool {
        if left == right { return true }
        return abs(left.timeIntervalSince(right)) <= 2.5e-7 && abs(left.timeIntervalSinceReferenceDate) < 16_777_216
    }

    static func holds(_ left: [String: TelemetryValue], _ right: [String: TelemetryValue]) -> Bool {
        left.count == right.count && left.allSatisfy { key, value in right[key].map { holds(value, $0) } ?? false }
    }

    static func holds(_ left: TelemetryEvent, _ right: TelemetryEvent) -> Bool {
        holds(left.eventId, right.eventId) && holds(left.clientId, right.clientId) && holds(left.sessionId, right.sessionId)
            && left.sequence == right.sequence && holds(left.name, right.name) && holds(left.timestamp, right.timestamp)
            && left.device == right.device && holds(left.threadId, right.threadId) && holds(left.property1, right.property1)
            && holds(left.attributes, right.attributes) && holds(left.scenario, right.scenario) && left.level == right.level
    }
}
