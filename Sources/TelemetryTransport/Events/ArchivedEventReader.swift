public import TelemetryModels
import TelemetryStorage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reads events in the form of their coding, faster than a decoder; for the separate package of tools, not part of the interface.
///
/// Equal strings of consecutive events share their storage.
@_spi(Tooling)
public struct ArchivedEventReader {
    private var timestamps = TimestampReader()
    /// The places of the keys of the previous event, in its order, which is mostly also that of the next.
    private var order: [Int] = []
    private var clientId = ""
    private var sessionId = ""
    private var name = ""
    private var threadId = ""
    private var scenario = ""
    private var deviceTexts = [String](repeating: "", count: 5)
    private var device: TelemetryDeviceInfo?

    private struct Draft {
        var keys: UInt16 = 0
        var eventId = ""
        var sequence: UInt64 = 0
        var timestamp = Date.distantPast
        var property1: String?
        var attributes: [String: TelemetryValue] = [:]
        var level = TelemetryLogLevel.info
    }

    /// The keys in the order of their bits.
    private static let keys: [StaticString] = [
        "eventId", "eventName", "eventTimestamp", "sessionId", "deviceType", "deviceName", "deviceModel", "osVersion",
        "appVersion", "threadId", "property1", "scenario", "logLevel", "clientid", "sequence", "attributes",
    ]
    /// An event without one of these is left to the decoder: all but `property1`, `scenario`, `clientid` and `attributes`.
    private static let required: UInt16 = 0b0101_0011_1111_1111

    public init() {}

    /// The event in a line; nil for one that is unusual or invalid, which a decoder has to examine.
    public mutating func event(in line: UnsafeBufferPointer<UInt8>) -> TelemetryEvent? {
        var scanner = JSONScanner(line)
        var draft = Draft()
        var index = 0
        let isRead = scanner.readObject { key, scanner in
            guard let place = place(of: key, at: index), draft.keys & 1 << place == 0 else { return false }
            index += 1
            draft.keys |= 1 << place
            return read(place, &scanner, &draft)
        }
        guard isRead, scanner.isAtEnd(), draft.keys & Self.required == Self.required else { return nil }
        return TelemetryEvent(
            eventId: draft.eventId, clientId: draft.keys & 1 << 13 != 0 ? clientId : nil, sessionId: sessionId,
            sequence: draft.sequence, name: name, timestamp: draft.timestamp, device: deviceInfo(), threadId: threadId,
            property1: draft.property1, attributes: draft.attributes, scenario: draft.keys & 1 << 11 != 0 ? scenario : nil,
            level: draft.level)
    }

    /// The place of an event's key with this index; nil if it is unknown.
    private mutating func place(of key: UnsafeBufferPointer<UInt8>, at index: Int) -> Int? {
        if index < order.count, key.isIdentical(to: Self.keys[order[index]]) { return order[index] }
        guard let place = Self.keys.firstIndex(where: { key.isIdentical(to: $0) }) else { return nil }
        order.removeSubrange(min(index, order.count)...)
        order.append(place)
        return place
    }

    private mutating func read(_ place: Int, _ scanner: inout JSONScanner, _ draft: inout Draft) -> Bool {
        switch place {
        case 0:
            guard let text = scanner.string() else { return false }
            draft.eventId = text
        case 1: return scanner.string(orSameAs: &name) != nil
        case 2:
            guard let raw = scanner.rawString(), !raw.hasEscapes, let date = timestamps.date(from: raw.bytes) else {
                return false
            }
            draft.timestamp = date
        case 3: return scanner.string(orSameAs: &sessionId) != nil
        case 4...8:
            let before = deviceTexts[place - 4]
            guard scanner.string(orSameAs: &deviceTexts[place - 4]) != nil else { return false }
            if !before.isIdentical(to: deviceTexts[place - 4]) { device = nil }
        case 9: return scanner.string(orSameAs: &threadId) != nil
        case 10:
            draft.property1 = scanner.string()
            return draft.property1 != nil
        case 11: return scanner.string(orSameAs: &scenario) != nil
        case 12:
            guard let raw = scanner.rawString(), let level = TelemetryLogLevel(bytes: raw.bytes) else { return false }
            draft.level = level
        case 13: return scanner.string(orSameAs: &clientId) != nil
        case 14:
            guard let number = scanner.unsigned() else { return false }
            draft.sequence = number
        default:
            return scanner.readObject { key, scanner in
                guard let name = JSONScanner.text(ofRaw: key), draft.attributes[name] == nil, let value = scanner.value()
                else { return false }
                draft.attributes[name] = value
                return true
            }
        }
        return true
    }

    private mutating func deviceInfo() -> TelemetryDeviceInfo {
        if let device { return device }
        let info = TelemetryDeviceInfo(
            deviceType: deviceTexts[0], deviceName: deviceTexts[1], deviceModel: deviceTexts[2], osVersion: deviceTexts[3],
            appVersion: deviceTexts[4])
        device = info
        return info
    }
}
