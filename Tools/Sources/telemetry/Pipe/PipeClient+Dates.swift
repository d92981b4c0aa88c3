import TelemetryModels
import ViewerKit

/// A logger sets the date of an event itself, so a line's date is passed to the logger's `process` handler as an attribute.
extension PipeClient {
    /// Not the name of a field: the parser keeps fields under their own names, and no program writes this one.
    private nonisolated static let dateAttribute = "\u{0}date"

    nonisolated static func attributes(of line: LineParser.Line) -> [String: TelemetryValue] {
        guard let date = line.date else { return line.attributes }
        return line.attributes.merging([dateAttribute: .date(date)]) { $1 }
    }

    /// Replaces the date of an event by the one that its line states.
    @Sendable nonisolated static func setStatedDate(_ event: inout TelemetryEvent) -> Bool {
        guard case .date(let date)? = event.attributes[dateAttribute] else { return true }
        event = TelemetryEvent(
            eventId: event.eventId, clientId: event.clientId, sessionId: event.sessionId, sequence: event.sequence,
            name: event.name, timestamp: date, device: event.device, threadId: event.threadId, property1: event.property1,
            attributes: event.attributes.filter { $0.key != dateAttribute }, scenario: event.scenario, level: event.level)
        return true
    }
}
