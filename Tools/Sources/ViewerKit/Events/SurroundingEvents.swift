public import TelemetryModels

/// Adds the events before and after each that matches, as `grep -C` does with lines.
public struct SurroundingEvents {
    private let size: Int
    private var before: [TelemetryEvent] = []
    private var after = 0

    /// - Parameter size: How many events before and after.
    public init(_ size: Int) { self.size = size }

    /// Takes the next event, and returns those that are to be shown now.
    public mutating func take(_ event: TelemetryEvent, isMatch: Bool) -> [TelemetryEvent] {
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
