import TelemetryModels

/// Events of the flight recorder to send, as frames that were made without the capture's lock.
struct DumpRequest: Sendable {
    /// How many events are appended before other threads may log again.
    static let step = 256

    let scenario: String
    /// The key of the ring that the events were read from.
    let key: UInt64
    let frames: [(entry: RingEntry, bytes: [UInt8])]

    /// Splits a ring's events into requests, oldest first.
    /// - Parameter level: More detailed events are not sent.
    static func requests(
        for events: RecordedEvents, of scenario: String, key: UInt64, level: TelemetryLogLevel
    ) -> some Sequence<DumpRequest> {
        let entries = events.entries.filter { $0.level <= level }
        return stride(from: 0, to: entries.count, by: step).lazy.map { start in
            let frames = entries[start..<min(start + step, entries.count)].map { entry in
                (entry, events.bytes.withByteView { FrameEncoding.dumped($0[entry.content], identity: entry.identity) })
            }
            return DumpRequest(scenario: scenario, key: key, frames: frames)
        }
    }
}
