import Foundation
@_spi(Tooling) import TelemetryModels

/// An event in a frame as a query reads it. Valid as long as the frame's bytes.
struct FrameSubject {
    let frame: ByteView
    let fields: FrameFields
    let clientId: String?
    let sessionId: String
    /// Nil for an event that the flight recorder keeps.
    let sequence: UInt64?

    private var level: TelemetryLogLevel { fields.flags.contains(.diagnostic) ? .diagnostic : .info }

    private func attribute(_ key: String) -> TelemetryValue? {
        var found: TelemetryValue?
        _ = fields.forEachAttribute(in: frame) { name, value in
            guard frame[name].isEqual(to: key) else { return }
            found =
                switch value {
                case .text(let place): .string(frame[place].text)
                case .other(let value): value
                }
        }
        return found
    }

    private var eventId: String {
        if let sequence { return EventIdentifier.make(sessionId: sessionId, sequence: sequence) }
        return CapturedEvent.eventId(ofRecorded: frame.load(UInt64.self, at: 0) ?? 0)
    }
}

extension FrameSubject: QuerySubject {
    func value(of field: QueryField) -> TelemetryValue? {
        switch field {
        case .client: clientId.map(TelemetryValue.string)
        case .session: .string(sessionId)
        case .scenario: fields.scenario.map { .string(frame[$0].text) }
        case .level: .string(level.rawValue)
        case .severity: .string(QuerySeverity(attribute: attribute, level: level).rawValue)
        case .name: .string(frame[fields.name].text)
        case .text: fields.property1.map { .string(frame[$0].text) }
        case .time: .date(Date(timeIntervalSinceReferenceDate: fields.seconds))
        case .sequence: sequence.map { .int(Int64(clamping: $0)) }
        case .id: .string(eventId)
        case .thread: .string("\(fields.thread)")
        case .device: .string(TelemetryDeviceInfo.current.deviceModel)
        case .app: .string(TelemetryDeviceInfo.current.appVersion)
        case .attribute(let key): attribute(key)
        }
    }

    func hasText(where isMatch: (UnsafeBufferPointer<UInt8>) -> Bool) -> Bool {
        // The frame's bytes exist during the call.
        func matches(_ place: Range<Int>) -> Bool {
            unsafe frame[place].withUnsafeBytes { unsafe isMatch($0.bindMemory(to: UInt8.self)) }
        }
        if matches(fields.name) { return true }
        if let text = fields.property1, matches(text) { return true }
        var isFound = false
        _ = fields.forEachAttribute(in: frame) { _, value in
            if isFound { return }
            switch value {
            case .text(let place): isFound = matches(place)
            case .other(let value):
                var text = value.queryText
                isFound = text.withUTF8(isMatch)
            }
        }
        return isFound
    }

    var byteCount: Int { frame.count }
}
