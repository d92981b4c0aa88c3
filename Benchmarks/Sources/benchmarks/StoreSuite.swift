import Foundation
import Measure
import Peers
import TelemetryModels
import TelemetryTransport

/// Compares the file transport with a database and with bare system calls.
struct StoreSuite {
    let scale: Scale

    func run() async throws {
        for batch in [10, 50, 500, 5_000] { print(try await appending(batch: batch).run().text()) }
        for batch in [10, 50, 500, 5_000] { print(try await reading(page: batch).run().text()) }
        print(try await encoding().run().text())
        print(try await decoding().run().text())
        try await size()
    }

    /// The number of events that a round appends.
    func count(batch: Int) -> Int { max(batch, scale.size(batch == 10 ? 10_000 : 50_000)) / batch * batch }

    /// The events in batches of this size.
    static func batches(of events: [TelemetryEvent], size: Int) -> [[TelemetryEvent]] {
        stride(from: 0, to: events.count, by: size).map { Array(events[$0..<min($0 + size, events.count)]) }
    }
}
