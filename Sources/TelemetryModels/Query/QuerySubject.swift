/// What a query is evaluated on: an event, the stored line of an event, or a row of a table. For the project's packages; not part of the
/// interface.
@_spi(Tooling)
public protocol QuerySubject {
    /// The field's value; nil if it is missing. The value of `severity` is its standard name.
    func value(of field: QueryField) -> TelemetryValue?

    /// Whether the UTF-8 of the name, of the text, or of an attribute's value fulfils the condition.
    func hasText(where isMatch: (UnsafeBufferPointer<UInt8>) -> Bool) -> Bool

    /// The approximate size in memory, in bytes.
    var byteCount: Int { get }
}

@_spi(Tooling)
extension TelemetryEvent: QuerySubject {
    public func value(of field: QueryField) -> TelemetryValue? {
        switch field {
        case .client: clientId.map(TelemetryValue.string)
        case .session: .string(sessionId)
        case .scenario: scenario.map(TelemetryValue.string)
        case .level: .string(level.rawValue)
        case .severity: .string(QuerySeverity(attribute: attribute, level: level).rawValue)
        case .name: .string(name)
        case .text: property1.map(TelemetryValue.string)
        case .time: .date(timestamp)
        case .sequence: .int(Int64(clamping: sequence))
        case .id: .string(eventId)
        case .thread: .string(threadId)
        case .device: .string(device.deviceModel)
        case .app: .string(device.appVersion)
        case .attribute(let key): attribute(key)
        }
    }

    public func hasText(where isMatch: (UnsafeBufferPointer<UInt8>) -> Bool) -> Bool {
        var name = name
        if name.withUTF8(isMatch) { return true }
        if var text = property1, text.withUTF8(isMatch) { return true }
        return attributes.values.contains {
            var text = $0.queryText
            return text.withUTF8(isMatch)
        }
    }

    public var byteCount: Int {
        let texts = eventId.utf8.count + name.utf8.count + threadId.utf8.count + (property1?.utf8.count ?? 0)
        return attributes.reduce(MemoryLayout<Self>.size + texts) { $0 + $1.key.utf8.count + $1.value.byteCount }
    }

    /// The attribute with exactly this key: two spellings of one character are one key of a dictionary, but not of a query.
    private func attribute(_ key: String) -> TelemetryValue? {
        guard let index = attributes.index(forKey: key), ExactString(attributes[index].key) == ExactString(key) else {
            return nil
        }
        return attributes[index].value
    }
}
