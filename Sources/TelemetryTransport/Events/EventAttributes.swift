package import TelemetryModels

/// An event's attributes.
package enum EventAttributes {
    case values([String: TelemetryValue])
    /// Attributes of different names, whose strings are bytes that exist only during a call.
    case fields([Field])

    package struct Field {
        package enum Value {
            case text(EventFields.Text)
            /// A value that is not a text.
            case other(TelemetryValue)
        }

        let name: EventFields.Text
        let value: Value

        @inline(__always)
        package init(name: EventFields.Text, value: Value) {
            self.name = name
            self.value = value
        }
    }

    var isEmpty: Bool {
        switch self {
        case .values(let values): values.isEmpty
        case .fields(let fields): fields.isEmpty
        }
    }

    /// The values that are integers.
    var integers: [Int64] {
        switch self {
        case .values(let values): values.values.compactMap(\.intValue)
        case .fields(let fields): fields.compactMap { if case .other(let value) = $0.value { value.intValue } else { nil } }
        }
    }
}
