import Foundation
import Measure
import Peers
import TelemetryModels
import TelemetryTransport

/// Measures whether the cost of reading new events depends on the size of the store.
struct LargeStoreSuite {
    let scale: Scale
    let clients: Int
    let events: Int

    func run() async throws {
        let scratch = try Scratch()
        let started = now()
        let writer = try FileTelemetryTransport(directory: scratch.url)
        let each = max(1, events / clients)
        for client in 0..<clients {
            for start in stride(from: 0, to: each, by: 5_000) {
                let count = min(5_000, each - start)
                try await writer.append(
                    SampleEvents.make(count, session: client, client: "client-\(client)", from: UInt64(start)))
            }
            if client % max(1, clients / 20) == 0 { progress("stored \((client + 1) * each) of \(clients * each)") }
        }
        progress("")
        let seconds = Double(now() - started) / 1e9
        print(
            "### A store of \(clients) clients and \(clients * each) events, written in \(ratio(seconds)) s, \(scratch.bytes() >> 20) MiB\n"
        )
        let reader = try FileTelemetryTransport(directory: scratch.url)
        try await follow(reader, writer: writer)
        try await filter(reader, stored: each)
    }

    /// Reads from a cursor at the end, in pages of 500 events that another connection has just stored.
    private func follow(_ reader: FileTelemetryTransport, writer: FileTelemetryTransport) async throws {
        let memoryBefore = Process.residentBytes()
        var cursor: TelemetryCursor?
        var count = 0
        let opening = now()
        while true {
            let page = try await reader.events(matching: .all, after: cursor, limit: 5_000)
            cursor = page.cursor
            count += page.events.count
            if !page.hasMore { break }
        }
        let all = Double(now() - opening) / Double(max(1, count))
        var latencies = Latencies()
        for round in 0..<(scale.quick ? 5 : 100) {
            let new = SampleEvents.make(500, session: clients + round, client: "client-\(round % clients)", from: 0)
            try await writer.append(new)
            let start = now()
            let page = try await reader.events(matching: .all, after: cursor, limit: 500)
            latencies.record(nanoseconds: now() - start)
            try expect(page.events.count, 500)
            cursor = page.cursor
        }
        var table = FigureTable(columns: Latencies.columns)
        table.add(latencies.row("a page of 500 new events"))
        print(table.text())
        print("\n- all \(count) events read through once: \(ratio(all)) ns an event")
        print("- resident memory: \(memoryBefore >> 20) MiB before, \(Process.residentBytes() >> 20) MiB after\n")
    }

    /// Reads one client's events from the beginning, with a separate reader.
    private func filter(_ reader: FileTelemetryTransport, stored: Int) async throws {
        let client = "client-\(clients / 2 + 100 % max(1, clients / 2))"
        let start = now()
        let count = try await reader.countEvents(matching: TelemetryEventFilter(clientId: client))
        let nanoseconds = Double(now() - start)
        guard count >= stored else { throw Miscount(description: "\(count) of \(stored) events of \(client)") }
        print("- one client's \(count) events counted: \(ratio(nanoseconds / 1e6)) ms\n")
    }

    private func progress(_ text: String) {
        guard isatty(STDERR_FILENO) == 1 else { return }
        FileHandle.standardError.write(Data("\r\u{1B}[K\(text)".utf8))
    }
}
