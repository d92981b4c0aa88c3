import TelemetryModels
@_spi(Tooling) import TelemetrySystem
import TelemetryTransport

extension WireEventFields {
    /// Creates an event from the fields.
    /// - Throws: `Problem` if a required field is missing or a field is invalid.
    func event(place: String) throws -> RelayEvent {
        func required(_ field: TelemetrySchema.Field) throws -> String {
            guard let text = texts[field] else { throw Problem.invalidArgument("\(place).\(field.rawValue) is missing.") }
            return text
        }
        let eventId = try required(.eventId)
        guard !eventId.isEmpty else { throw Problem.invalidArgument("\(place).eventId is empty.") }
        let name = try required(.eventName)
        let sessionId = try required(.sessionId)
        guard let time = RelayTime(try required(.eventTimestamp)) else {
            throw Problem.invalidArgument("\(place).eventTimestamp is not a time.")
        }
        if let clientId = texts[.clientId] { try ClientIdentifier.check(clientId, place: "\(place).clientid") }
        let level = try Self.level(texts[.logLevel], "\(place).logLevel")
        return RelayEvent(
            clientId: texts[.clientId], sessionId: sessionId, eventId: eventId, name: name, time: time,
            scenario: texts[.scenario], level: level, json: json)
    }

    /// - Parameter text: the name of the level; nil for the default.
    static func level(_ text: String?, _ place: @autoclosure () -> String) throws -> TelemetryLogLevel {
        guard let text else { return .info }
        guard let level = TelemetryLogLevel(rawValue: text) else {
            throw Problem.invalidArgument("\(place()) must be one of \(levels).")
        }
        return level
    }

    static var levels: String { TelemetryLogLevel.allCases.map(\.rawValue).joined(separator: ", ") }

    /// The complete event as an object on one line, with fields in the schema's order.
    private var json: String {
        var writer = JSONWriter(capacity: 512)
        writer.object { writer in
            for field in TelemetrySchema.Field.allCases {
                switch field {
                case .sequence:
                    guard let sequence else { continue }
                    writer.member(field.rawValue, sequence)
                case .attributes:
                    guard let attributes else { continue }
                    writer.key(field.rawValue)
                    writer.object { writer in
                        for (name, value) in attributes {
                            writer.key(name)
                            value.write(to: &writer)
                        }
                    }
                default:
                    guard let text = texts[field] else { continue }
                    writer.member(field.rawValue, text)
                }
            }
        }
        return writer.withBytes { String(decoding: $0, as: UTF8.self) }
    }
}
