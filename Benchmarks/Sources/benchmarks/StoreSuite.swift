import Foundation
import Measure
import Peers
import TelemetryModels
import TelemetryTransport

/// The file transport beside a database and beside the bare system calls.
struct StoreSuite {
    let scale: Scale

    func run() async throws {
        for batch in [10, 50, 500, 5_000] { print(try await appending(batch: batch).run().text()) }
        for batch in [10, 50, 500, 5_000] { print(try await reading(page: batch).run().text()) }
        print(try await encoding().run().text())
        print(try await decoding().run().text())
        try await size()
    }

    /// How many events a round appends: enough to measure, few enough to wait for.
    func count(batch: Int) -> Int { max(batch, scale.size(batch == 10 ? 10_000 : 50_000)) / batch * batch }

    /// The events in batches such as the logger appends.
    static func batches(of events: [TelemetryEvent], size: Int) -> [[TelemetryEvent]] {
        stride(from: 0, to: events.count, by: size).map { Array(events[$0..<min($0 + size, events.count)]) }
    }
}
