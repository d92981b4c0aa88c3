import TelemetryModels

/// A column of the event list.
public enum EventColumn: String, CaseIterable, Sendable {
    case date, time, client, session, sequence, scenario, level, name, text, attributes, thread, device, id

    /// The default columns.
    public static let standard: [EventColumn] = [.time, .client, .scenario, .level, .name, .text, .attributes]

    /// The default columns of a narrow terminal.
    public static let narrow: [EventColumn] = [.time, .scenario, .name, .text, .attributes]

    /// The default columns for a terminal of this width; nil for no terminal.
    public static func standard(for width: Int?) -> [EventColumn] { width.map { $0 < 110 } ?? false ? narrow : standard }

    /// The width of a column whose strings are shorter, so that there is room for later, longer ones.
    var minimumWidth: Int {
        switch self {
        case .date: 23
        case .time: 12
        case .client, .level: 10
        case .scenario, .name: 14
        case .text: 30
        case .sequence: 10
        default: rawValue.count
        }
    }

    /// The maximum width of a column, so that a long text in one row does not widen all later rows.
    var maximumWidth: Int {
        switch self {
        case .text: 60
        case .name, .scenario: 24
        case .session, .id: 36
        default: 32
        }
    }

    /// The column of a table, in which dates, levels and numbers are not truncated.
    var tableColumn: Table.Column {
        switch self {
        case .name: .text(rawValue, priority: 9)
        case .text: .text(rawValue, priority: 8)
        case .date, .time: .whole(rawValue, priority: 7)
        case .scenario: .text(rawValue, priority: 6)
        case .client: .text(rawValue, priority: 5)
        case .attributes: .text(rawValue, priority: 4)
        case .level: .whole(rawValue, priority: 3)
        case .sequence: .whole(rawValue, priority: 2)
        case .session: .text(rawValue, priority: 2)
        case .thread, .device, .id: .text(rawValue, priority: 1)
        }
    }

    func text(of event: TelemetryEvent, time: TimeText) -> String {
        switch self {
        case .date: time.dayAndTime(event.timestamp)
        case .time: time.time(event.timestamp)
        case .client: event.clientId ?? "–"
        case .session: event.sessionId
        case .sequence: String(event.sequence)
        case .scenario: event.scenario ?? "–"
        case .level: event.level.rawValue
        case .name: event.name
        case .text: event.property1 ?? ""
        case .attributes: event.attributes.plain
        case .thread: event.threadId
        case .device: event.device.deviceName
        case .id: event.eventId
        }
    }
}

extension [String: TelemetryValue] {
    /// `bytes=120 kind=link`, sorted by name.
    var plain: String {
        sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.plain)" }.joined(separator: " ")
    }
}

extension TelemetryValue {
    var plain: String {
        switch self {
        case .string(let value): value
        case .int(let value): String(value)
        case .double(let value): String(value)
        case .bool(let value): String(value)
        case .date(let value): TimeText().dayAndTime(value)
        }
    }
}
