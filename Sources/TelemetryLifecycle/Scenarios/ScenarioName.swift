import TelemetryTransport

/// The rules for scenario names.
enum ScenarioName {
    /// The maximum length of a name, in bytes of UTF-8.
    static let maximumBytes = 256

    /// - Throws: `.invalidArgument` for a name that is empty or too long.
    static func check(_ name: String) throws(TelemetryTransportError) {
        guard !name.isEmpty else { throw .invalidArgument("A scenario name must not be empty.") }
        guard name.utf8.count <= maximumBytes else {
            throw .invalidArgument(
                "A scenario name has at most \(maximumBytes) bytes of UTF-8; this one has \(name.utf8.count).")
        }
    }
}
