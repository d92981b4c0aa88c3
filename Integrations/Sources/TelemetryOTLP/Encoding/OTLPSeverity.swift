import TelemetryModels

/// A `SeverityNumber` with its text.
struct OTLPSeverity: Equatable {
    let number: Int
    let text: String

    /// The names of swift-log's levels, with the first number of each range of the specification.
    private static let numbers = [
        "trace": 1, "debug": 5, "info": 9, "notice": 10, "warning": 13, "error": 17, "critical": 21,
    ]

    /// The severity in the attribute `severity` or `level`, if it is the name of a level of swift-log; otherwise that of the
    /// event's level.
    init(_ event: TelemetryEvent) {
        for name in ["severity", "level"] {
            if let text = event.attributes[name]?.stringValue, let number = Self.numbers[text.lowercased()] {
                (self.number, self.text) = (number, text)
                return
            }
        }
        text = event.level.rawValue
        number =
            switch event.level {
            case .info: 9
            case .diagnostic: 5
            }
    }
}
