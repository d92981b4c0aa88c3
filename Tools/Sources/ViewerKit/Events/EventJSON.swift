public import TelemetryModels

/// Formats events as one JSON object per line, with the schema's field names. `TelemetryEvent` decodes them.
public struct EventJSON {
    /// The fields that consecutive events usually have in common, with their JSON.
    private struct Origin {
        var device: TelemetryDeviceInfo
        var threadId: String
        var bytes: [UInt8]
    }

    private let stamp = UTCStamp()
    private var origin: Origin?

    public init() {}

    public mutating func append(_ event: TelemetryEvent, to bytes: inout [UInt8]) {
        text("{\"eventId\":", event.eventId, to: &bytes)
        optional(",\"clientid\":", event.clientId, to: &bytes)
        text(",\"sessionId\":", event.sessionId, to: &bytes)
        bytes += ",\"sequence\":".utf8
        JSONBytes.append(event.sequence, to: &bytes)
        text(",\"eventName\":", event.name, to: &bytes)
        bytes += ",\"eventTimestamp\":\"".utf8
        stamp.append(event.timestamp, to: &bytes)
        bytes.append(UInt8(ascii: "\""))
        optional(",\"scenario\":", event.scenario, to: &bytes)
        text(",\"logLevel\":", event.level.rawValue, to: &bytes)
        optional(",\"property1\":", event.property1, to: &bytes)
        if !event.attributes.isEmpty {
            bytes += ",\"attributes\":".utf8
            append(event.attributes, to: &bytes)
        }
        if origin?.threadId != event.threadId || origin?.device != event.device { origin = written(originOf: event) }
        if let origin { bytes += origin.bytes }
    }

    private func written(originOf event: TelemetryEvent) -> Origin {
        var bytes: [UInt8] = []
        text(",\"threadId\":", event.threadId, to: &bytes)
        text(",\"deviceType\":", event.device.deviceType, to: &bytes)
        text(",\"deviceName\":", event.device.deviceName, to: &bytes)
        text(",\"deviceModel\":", event.device.deviceModel, to: &bytes)
        text(",\"osVersion\":", event.device.osVersion, to: &bytes)
        text(",\"appVersion\":", event.device.appVersion, to: &bytes)
        bytes.append(UInt8(ascii: "}"))
        return Origin(device: event.device, threadId: event.threadId, bytes: bytes)
    }

    /// Appends the attributes as an object, sorted by name.
    mutating func append(_ attributes: [String: TelemetryValue], to bytes: inout [UInt8]) {
        var separator = UInt8(ascii: "{")
        for (name, value) in attributes.sorted(by: { $0.key < $1.key }) {
            bytes.append(separator)
            separator = UInt8(ascii: ",")
            JSONBytes.append(name, to: &bytes)
            bytes.append(UInt8(ascii: ":"))
            append(value, to: &bytes)
        }
        if attributes.isEmpty { bytes.append(separator) }
        bytes.append(UInt8(ascii: "}"))
    }

    private mutating func append(_ value: TelemetryValue, to bytes: inout [UInt8]) {
        switch value {
        case .string(let text): JSONBytes.append(text, to: &bytes)
        case .int(let number): JSONBytes.append(number, to: &bytes)
        case .bool(let flag): bytes += (flag ? "true" : "false").utf8
        case .date(let date):
            bytes += "{\"date\":\"".utf8
            stamp.append(date, to: &bytes)
            bytes += "\"}".utf8
        case .double(let number) where number.isFinite && number != number.rounded():
            bytes += String(number).utf8
        case .double(let number):
            // A bare number would decode as an integer, and JSON has no infinity.
            bytes += "{\"double\":".utf8
            if number.isFinite, number != 0 || number.sign == .plus {
                bytes += String(number).utf8
            } else {
                JSONBytes.append(number.isNaN ? "nan" : String(number), to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    private func text(_ key: StaticString, _ text: String, to bytes: inout [UInt8]) {
        bytes += UnsafeBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount)
        JSONBytes.append(text, to: &bytes)
    }

    private func optional(_ key: StaticString, _ text: String?, to bytes: inout [UInt8]) {
        if let text { self.text(key, text, to: &bytes) }
    }
}
