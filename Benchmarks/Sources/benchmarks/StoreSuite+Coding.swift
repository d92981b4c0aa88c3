import Foundation
import Measure
import Peers
import TelemetryModels
import TelemetryTransport

extension StoreSuite {
    /// The store's lines and Foundation's JSON: writing, reading, and what they take on the disk.
    func coding() async throws {}

    func size() async throws {
        let events = SampleEvents.make(scale.size(50_000))
        let plain = try PlainJSONLines().encode(events[...])
        var table = Table(columns: ["", "bytes an event", "× plain JSON lines"])
        let each = Double(plain.count) / Double(events.count)
        table.add(["plain JSON lines", ratio(each), "1"])
        for batch in [10, 50, 500] {
            let scratch = try Scratch()
            let transport = try FileTelemetryTransport(directory: scratch.url)
            for batch in Self.batches(of: events, size: batch) { try await transport.append(batch) }
            let ours = Double(scratch.bytes()) / Double(events.count)
            table.add(["file transport, batches of \(batch)", ratio(ours), ratio(ours / each)])
        }
        print("### Bytes on disk\n\n\(table.text())\n")
    }
}
