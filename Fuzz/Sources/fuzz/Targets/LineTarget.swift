import Foundation
import TelemetryModels

/// Parses a segment's lines, and converts their events with `Codable`.
enum LineTarget {
    static func run(_ bytes: UnsafeBufferPointer<UInt8>) {
        let bytes = LineAccess.sealed(Array(bytes))
        require(LineAccess.readsAlike(bytes), "a line is read differently in the written order and key by key")
        require(LineAccess.outlinesAlike(bytes), "the outline of a line differs from its event")
        let events = LineAccess.events(in: bytes)
        if events.isEmpty { return }
        guard let lines = LineAccess.lines(of: events) else { violated("an event that was read cannot be written") }
        let again = LineAccess.events(in: lines)
        require(again.count == events.count, "\(events.count) events were written, \(again.count) read")
        for (event, same) in zip(events, again) {
            require(Sameness.holds(event, same), "an event changes when it is written: \(event) \(same)")
            compareWithCodable(event)
        }
    }

    private static func compareWithCodable(_ event: TelemetryEvent) {
        do {
            let text = try JSONEncoder().encode(event)
            let same = try JSONDecoder().decode(TelemetryEvent.self, from: text)
            require(Sameness.holds(event, same), "Codable changes an event: \(event) \(same)")
        } catch {
            violated("Codable cannot convert an event that was read: \(error)")
        }
    }
}
