public import TelemetryModels

/// Adds the events before and after each match, as `grep -C` does with lines.
public struct SurroundingEvents {
    private let size: Int
    private var before: [TelemetryEvent] = []
    private var after = 0

    /// - Parameter size: The number of events before and after each match.
    public init(_ size: Int) { self.size = size }

    /// Processes the next event, and returns the events to show now.
    public mutating func process(_ event: TelemetryEvent, isMatch: Bool) -> [TelemetryEvent] {
        if isMatch {
            defer { before = [] }
            after = size
            return before + [event]
        }
        if after > 0 {
            after -= 1
            return [event]
        }
        before.append(event)
        before.removeFirst(max(0, before.count - size))
        return []
    }
}
