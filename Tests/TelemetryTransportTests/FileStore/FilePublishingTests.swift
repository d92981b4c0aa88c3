import Foundation
import Synchronization
import TelemetryModels
import TelemetrySystem
@_spi(Tooling) import TelemetryTestKit
import Testing

@testable import TelemetryTransport

/// Files that are written under a temporary name and renamed.
struct FilePublishingTests {
    @Test("A rebuild of the index that fails leaves no temporary file, and the next one succeeds")
    func failedRebuild() async throws {
        try await withTemporaryDirectory { directory in
            try await FileTelemetryTransport(directory: directory).append(events(1...5))
            let client = directory.appending(path: "events/client")
            try FileManager.default.removeItem(at: client.appending(path: "identity"))
            let faults = Faults()
            let store = try FileTelemetryTransport(directory: directory, configuration: .default, system: faults.system)
            faults.set { operation, path in operation == .rename && path.hasSuffix("/identity") ? ENOSPC : nil }
            #expect(await code { try await store.append(events(6...9)) } == .quotaExceeded)
            let names = try FileManager.default.contentsOfDirectory(atPath: client.path)
            #expect(names.filter { $0.hasPrefix("-") }.isEmpty)
            faults.set(nil)
            try await store.append(events(1...9))
            #expect(try await store.countEvents() == 9)
        }
    }

    @Test("Under system durability, the list of removed journal files is synchronized before it replaces the one before")
    func synchronizedList() async throws {
        try await withTemporaryDirectory { directory in
            let calls = Mutex<[(FileOperation, String)]>([])
            let system = FileSystem { operation, path in
                calls.withLock { $0.append((operation, path)) }
                return nil
            }
            let store = try FileTelemetryTransport(
                directory: directory,
                configuration: .init(
                    durability: .system, retention: .init(bytesPerClient: 4_000), segmentBytes: 1_000, journalBytes: 1_000),
                system: system)
            for part in 0..<40 as Range<UInt64> { try await store.append(events(part * 5 + 1...part * 5 + 5)) }
            let journal = directory.appending(path: "journal").path
            let made = calls.withLock { calls in
                calls.indices.filter { calls[$0].0 == .rename && calls[$0].1 == "\(journal)/removed" }
                    .map { index in
                        (before: calls[..<index].last.map { ($0.0, $0.1) }, after: calls[index...].dropFirst().prefix(2).map(\.0))
                    }
            }
            #expect(!made.isEmpty)
            for (before, after) in made {
                #expect(before?.0 == .synchronize && before?.1.hasPrefix("\(journal)/-") == true)
                #expect(after == [.open, .synchronize])
            }
        }
    }
}
