import TelemetryModels
import TelemetrySystem

extension EventContext {
    /// Appends the header line.
    /// - Parameter hasLibrary: Whether the line contains the library's version.
    /// - Returns: The number of bytes of its tables.
    func appendHeader(withLibrary hasLibrary: Bool, to buffer: ByteBuffer) -> Int {
        buffer.append(literal: "{\"header\":")
        let start = buffer.count
        buffer.append(literal: "{\"session\":")
        buffer.append(quoted: sessionId)
        buffer.append(",\"client\":", clientId)
        buffer.append(",\"ids\":", idPrefix)
        buffer.append(",\"deviceType\":", device.deviceType)
        buffer.append(",\"deviceName\":", device.deviceName)
        buffer.append(",\"deviceModel\":", device.deviceModel)
        buffer.append(",\"osVersion\":", device.osVersion)
        buffer.append(",\"appVersion\":", device.appVersion)
        buffer.append(",\"thread\":", threadId)
        buffer.append(",\"scenario\":", scenario)
        buffer.append(",\"level\":", level.rawValue)
        if let start = tables.start {
            buffer.append(",\"start\":", TimestampFormat.string(from: EventTime.date(UInt64(start) * 1_000_000)))
        }
        let tablesStart = buffer.count
        buffer.append(",\"names\":", tables.names)
        buffer.append(",\"threads\":", tables.threads)
        buffer.append(",\"scenarios\":", tables.scenarios)
        let tableBytes = buffer.count - tablesStart
        if hasLibrary { buffer.append(",\"library\":", LiveTelemetryVersion.version) }
        buffer.append(UInt8(ascii: "}"))
        let checksum = LineChecksum.hash(UnsafeRawBufferPointer(rebasing: buffer.bytes[start...]))
        buffer.append(literal: ",\"checksum\":\"")
        buffer.append(hexadecimal: checksum)
        buffer.append(literal: "\"}\n")
        return tableBytes
    }
}

extension ByteBuffer {
    fileprivate func append(_ key: StaticString, _ text: String?) {
        guard let text else { return }
        append(literal: key)
        append(quoted: text)
    }

    fileprivate func append(_ key: StaticString, _ table: TextTable) {
        if table.texts.isEmpty { return }
        append(literal: key)
        var next = UInt8(ascii: "[")
        for text in table.texts {
            append(next)
            next = UInt8(ascii: ",")
            append(quoted: text)
        }
        append(UInt8(ascii: "]"))
    }
}
