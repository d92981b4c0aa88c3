import TelemetryModels

/// What a row shows of an event of `TelemetryURLSession`, in place of its attributes.
struct RequestSummary {
    /// The attributes that are not in the text.
    let attributes: [String: TelemetryValue]
    /// The method, the host and the path.
    private let request: String
    /// What came of the request; empty for its start.
    private let outcome: String

    /// Nil if the event has a text of its own, or lacks an attribute of a request, or has one of another type.
    init?(_ event: TelemetryEvent) {
        guard event.property1 == nil, let method = event.attributes["method"]?.stringValue,
            let host = event.attributes["host"]?.stringValue, let path = event.attributes["path"]?.stringValue
        else { return nil }
        request = "\(method) \(host)\(path)"
        var attributes = event.attributes
        for key in ["method", "host", "path"] { attributes[key] = nil }
        var parts: [String]
        switch event.name {
        case "request.started": parts = []
        case "request.finished":
            guard case .int(let status) = attributes.removeValue(forKey: "status") else { return nil }
            parts = [String(status)]
        case "request.failed":
            guard let error = attributes.removeValue(forKey: "error")?.stringValue,
                case .int(let code) = attributes.removeValue(forKey: "code")
            else { return nil }
            parts = [error == "cancelled" ? error : "failed: \(error) \(code)"]
        default: return nil
        }
        if case .double(let seconds) = attributes["duration"], let duration = Self.duration(seconds) {
            parts.append(duration)
            attributes["duration"] = nil
        }
        if case .int(let bytes) = attributes["responseBytes"], bytes >= 0 {
            parts.append(Self.size(bytes))
            attributes["responseBytes"] = nil
        }
        // Most requests have no body.
        if attributes["requestBytes"] == 0 { attributes["requestBytes"] = nil }
        outcome = parts.map { "  \($0)" }.joined()
        self.attributes = attributes
    }

    /// `GET api.example.com/users/{id}  200  143 ms  1.2 kB`
    /// - Parameter width: The columns in which the end of the path is cut rather than the outcome; nil cuts nothing.
    func text(in width: Int? = nil) -> String {
        guard let width, (request + outcome).displayWidth > width else { return request + outcome }
        let room = width - outcome.displayWidth
        return room >= 8 ? request.fitted(to: room) + outcome : request + outcome
    }

    /// Milliseconds below a second, with two digits below ten; nil for a number that is not a duration.
    private static func duration(_ seconds: Double) -> String? {
        switch seconds {
        case 0..<0.00995: "\(tenths(seconds * 1_000)) ms"
        case 0.00995..<0.9995: "\(Int((seconds * 1_000).rounded())) ms"
        case 0.9995..<9.95: "\(tenths(seconds)) s"
        case 9.95..<1e9: "\(Int(seconds.rounded())) s"
        default: nil
        }
    }

    /// Bytes in units of 1,000, with two digits below ten.
    private static func size(_ bytes: Int64) -> String {
        guard bytes >= 1_000 else { return "\(bytes) B" }
        var number = Double(bytes) / 1_000
        var units = ["kB", "MB", "GB", "TB"][...]
        while number >= 999.5, units.count > 1 {
            number /= 1_000
            units.removeFirst()
        }
        return "\(number < 9.95 ? tenths(number) : String(Int(number.rounded()))) \(units[units.startIndex])"
    }

    private static func tenths(_ number: Double) -> String {
        let tenths = Int((number * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}
