public import Tracing

extension ServiceContext {
    /// The values that are text, such as baggage, by the names of their keys: for `TelemetryContext.with(_:operation:)`, in which
    /// conditions of scenarios are evaluated.
    public var telemetryContext: [String: String] {
        var values: [String: String] = [:]
        forEach { key, value in
            if let text = value as? String { values[key.name] = text }
        }
        return values
    }
}
