import Foundation
@_spi(Tooling) import TelemetryModels

/// An event in a frame as queries read it: its attributes are decoded once, however many read them. Valid as long as the frame's bytes.
final class FrameSubject {
    private let frame: ByteView
    private let fields: FrameFields
    private let clientId: String?
    private let sessionId: String
    private let sequence: UInt64?
    private lazy var attributes = decodedAttributes
    /// The values of the attributes that are not strings, as strings.
    private lazy var otherTexts: [[UInt8]] = attributes.compactMap { _, value in
        if case .string = value { return nil }
        return Array(value.queryText.utf8)
    }

    /// - Parameter sequence: Nil for an event that the flight recorder keeps.
    init(_ fields: FrameFields, in frame: ByteView, clientId: String?, sessionId: String, sequence: UInt64?) {
        self.fields = fields
        self.frame = frame
        self.clientId = clientId
        self.sessionId = sessionId
        self.sequence = sequence
    }

    private var level: TelemetryLogLevel { fields.flags.contains(.diagnostic) ? .diagnostic : .info }

    private var decodedAttributes: [(name: Range<Int>, value: TelemetryValue)] {
        var decoded: [(name: Range<Int>, value: TelemetryValue)] = []
        _ = fields.forEachAttribute(in: frame) { name, value in
            switch value {
            case .text(let place): decoded.append((name, .string(frame[place].text)))
            case .other(let value): decoded.append((name, value))
            }
        }
        return decoded
    }

    private func attribute(_ key: String) -> TelemetryValue? {
        attributes.first { frame[$0.name].isEqual(to: key) }?.value
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
            if case .text(let place) = value, !isFound { isFound = matches(place) }
        }
        return isFound || otherTexts.contains { unsafe $0.withUnsafeBufferPointer { unsafe isMatch($0) } }
    }

    var byteCount: Int { frame.count }
}
