import TelemetryModels

/// The strings of an event's fields. A dictionary would hash a field's name each time.
struct FieldTexts {
    private var texts = [String?](repeating: nil, count: TelemetrySchema.Field.allCases.count)

    var isEmpty: Bool { texts.allSatisfy { $0 == nil } }

    subscript(field: TelemetrySchema.Field) -> String? {
        get { texts[Self.place(of: field)] }
        set { texts[Self.place(of: field)] = newValue }
    }

    private static func place(of field: TelemetrySchema.Field) -> Int {
        switch field {
        case .eventId: 0
        case .eventName: 1
        case .eventTimestamp: 2
        case .sessionId: 3
        case .deviceType: 4
        case .deviceName: 5
        case .deviceModel: 6
        case .osVersion: 7
        case .appVersion: 8
        case .threadId: 9
        case .property1: 10
        case .scenario: 11
        case .logLevel: 12
        case .clientId: 13
        case .sequence: 14
        case .attributes: 15
        }
    }
}
