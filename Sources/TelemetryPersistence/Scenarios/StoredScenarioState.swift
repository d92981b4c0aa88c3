import TelemetryModels

/// A scenario's state in a file: `true` or `false` if the rest has its defaults; otherwise an object.
struct StoredScenarioState: Codable, Sendable, Equatable {
    var state: TelemetryScenarioState

    init(_ state: TelemetryScenarioState) { self.state = state }

    init(isEnabled: Bool) { state = TelemetryScenarioState(isEnabled: isEnabled) }

    init(from decoder: any Decoder) throws {
        if let isEnabled = try? decoder.singleValueContainer().decode(Bool.self) {
            self.init(isEnabled: isEnabled)
        } else {
            self.init(try TelemetryScenarioState(from: decoder))
        }
    }

    func encode(to encoder: any Encoder) throws {
        if state == TelemetryScenarioState(isEnabled: state.isEnabled) {
            var container = encoder.singleValueContainer()
            try container.encode(state.isEnabled)
        } else {
            try state.encode(to: encoder)
        }
    }
}
