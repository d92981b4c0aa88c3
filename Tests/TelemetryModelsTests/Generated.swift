import Foundation
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit

/// Random values from the run's seed.
struct Generated: RandomNumberGenerator {
    private var numbers: SeededGenerator

    /// - Parameter stream: Each stream is another sequence of values.
    init(stream: UInt64 = 0) { numbers = SeededGenerator(seed: randomSeed &+ stream << 32) }

    mutating func next() -> UInt64 { numbers.next() }

    mutating func bool() -> Bool { Bool.random(using: &self) }

    mutating func optional<Value>(_ make: (inout Generated) -> Value) -> Value? { bool() ? make(&self) : nil }

    mutating func text() -> String {
        let alphabets: [[Unicode.Scalar]] = [
            Array("abcdefghijklmnopqrstuvwxyz0123456789".unicodeScalars),
            Array(" .,-_/\\\"'{}[]<>&%$#@!?:;=+*~^`|()ABCXYZ".unicodeScalars),
            (0..<0x20).compactMap(Unicode.Scalar.init) + [Unicode.Scalar(0x7f)],
            Array("éüßøñç\u{301}\u{308}\u{327}\u{200d}\u{feff}\u{2028}\u{2029}".unicodeScalars),
            Array("👩👧🏽🇫🇮漢字かな한글עבריתالعربية".unicodeScalars),
        ]
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...24, using: &self) {
            let alphabet = alphabets[Int.random(in: 0..<alphabets.count, using: &self)]
            if Int.random(in: 0..<20, using: &self) == 0 {
                text.append(Unicode.Scalar(UInt32.random(in: 0xe000...0x10ffff, using: &self)) ?? "x")
            } else {
                text.append(alphabet[Int.random(in: 0..<alphabet.count, using: &self)])
            }
        }
        return String(text)
    }

    /// A whole number of milliseconds in the years 1 to 9999.
    mutating func milliseconds() -> Date {
        let near = Int64(0)...4_102_444_800_000
        let all = Int64(-62_135_596_800_000)...253_402_300_799_999
        return Date(timeIntervalSince1970: Double(Int64.random(in: bool() ? near : all, using: &self)) / 1000)
    }

    /// Any date that the format keeps exactly: in the years 1 to 9999, and not within 2^24 seconds of the reference date.
    mutating func date() -> Date {
        if bool() { return milliseconds() }
        while true {
            let seconds = Double.random(in: -63_113_904_000..<252_423_993_600, using: &self)
            if abs(seconds) >= 16_777_216 { return Date(timeIntervalSinceReferenceDate: seconds) }
        }
    }

    /// Any number except NaN, which is not equal to itself.
    mutating func double() -> Double {
        switch Int.random(in: 0..<4, using: &self) {
        case 0: return Double(Int.random(in: -1_000...1_000, using: &self))
        case 1: return Double.random(in: -1...1, using: &self)
        case 2:
            return [0, -0.0, .infinity, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude, 1e15, 1e16, 0.1][
                Int.random(in: 0..<9, using: &self)]
        default:
            let any = Double(bitPattern: next())
            return any.isNaN ? 1.5 : any
        }
    }

    mutating func value() -> TelemetryValue {
        switch Int.random(in: 0..<5, using: &self) {
        case 0: .string(text())
        case 1: .int(bool() ? Int64(bitPattern: next()) : Int64.random(in: -2...2, using: &self))
        case 2: .double(double())
        case 3: .bool(bool())
        default: .date(date())
        }
    }

    mutating func fields() -> [String: TelemetryValue] {
        var fields: [String: TelemetryValue] = [:]
        for _ in 0..<Int.random(in: 0...6, using: &self) { fields[text()] = value() }
        return fields
    }

    mutating func record() -> TelemetryRecord {
        var record = TelemetryRecord(recordType: text(), recordID: .init(recordName: text()))
        for (field, value) in fields() { record[field] = value }
        record.changeTag = optional { $0.text() }
        return record
    }

    mutating func device() -> TelemetryDeviceInfo {
        TelemetryDeviceInfo(
            deviceType: text(), deviceName: text(), deviceModel: text(), osVersion: text(), appVersion: text())
    }

    mutating func event() -> TelemetryEvent {
        TelemetryEvent(
            eventId: text(), clientId: optional { $0.text() }, sessionId: text(),
            sequence: bool() ? next() : UInt64.random(in: 0...9, using: &self), name: text(), timestamp: date(), device: device(),
            threadId: text(), property1: optional { $0.text() }, attributes: fields(), scenario: optional { $0.text() },
            level: bool() ? .info : .diagnostic)
    }

    mutating func client() -> TelemetryClientRecord {
        TelemetryClientRecord(
            recordID: .init(recordName: text()), clientId: text(), created: date(), isEnabled: bool(), isPaused: bool(),
            lastSeen: optional { $0.date() }, appVersion: optional { $0.text() }, osVersion: optional { $0.text() },
            deviceModel: optional { $0.text() }, libraryVersion: optional { $0.text() }, approvedBy: optional { $0.text() },
            approved: optional { $0.date() })
    }

    mutating func scenario() -> TelemetryScenarioRecord {
        TelemetryScenarioRecord(
            recordID: .init(recordName: text()), clientId: text(), scenarioName: text(), isEnabled: bool(), created: date(),
            level: level(), expires: optional { $0.date() }, source: source())
    }

    mutating func level() -> TelemetryLogLevel { bool() ? .info : .diagnostic }

    mutating func source() -> TelemetryScenarioState.Source {
        [.registration, .host, .viewer, .rule(text())][Int.random(in: 0..<4, using: &self)]
    }

    mutating func scenarioState() -> TelemetryScenarioState {
        TelemetryScenarioState(
            isEnabled: bool(), level: level(), expires: optional { $0.date() }, source: source(),
            suspendedUntil: optional { $0.date() })
    }

    mutating func rule() -> TelemetryRuleRecord {
        TelemetryRuleRecord(
            recordID: .init(recordName: text()), ruleId: text(), scenarioName: text(), level: level(),
            conditions: (0..<Int.random(in: 0...3, using: &self)).map { _ in condition() }, percentage: double(),
            created: date(), expires: optional { $0.date() }, isEnabled: bool(), issuer: optional { $0.text() })
    }

    mutating func condition() -> TelemetryRuleCondition {
        TelemetryRuleCondition(
            text(), TelemetryRuleCondition.Comparison.allCases.randomElement(using: &self) ?? .equals,
            (0..<Int.random(in: 0...3, using: &self)).map { _ in text() })
    }

    mutating func command() -> TelemetryCommandRecord {
        TelemetryCommandRecord(
            recordID: .init(recordName: text()), commandId: text(), clientId: text(),
            action: TelemetrySchema.CommandAction.allCases.randomElement(using: &self) ?? .enable,
            scenarioName: optional { $0.text() }, created: date(),
            status: TelemetrySchema.CommandStatus.allCases.randomElement(using: &self) ?? .pending,
            executedAt: optional { $0.date() }, errorMessage: optional { $0.text() },
            level: optional { $0.level() }, lease: optional { $0.double() }, expires: optional { $0.date() },
            lookback: optional { $0.double() }, issuer: optional { $0.text() }, result: optional { $0.text() })
    }

    mutating func settings() -> TelemetrySettings {
        TelemetrySettings(
            telemetryRequested: bool(), telemetrySendingEnabled: bool(), clientIdentifier: optional { $0.text() })
    }
}

/// JSON as the stores write it, with sorted keys.
func json(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
}

func fromJSON<Value: Decodable>(_ text: String, as type: Value.Type = Value.self) throws -> Value {
    try JSONDecoder().decode(type, from: Data(text.utf8))
}
