import Foundation
import Synchronization
import TelemetryModels
import TelemetrySystem
@_spi(Tooling) import TelemetryTestKit
import TelemetryTransport
import Testing

/// Slots of a client's identity file that are valid by themselves but differ from what was written.
struct IdentitySlotTests {
    private static let tables = 4_096
    private static let slotBytes = 32

    private static func identity(_ directory: URL) -> URL { directory.appending(path: "events/client/identity") }

    /// Alters the slots of a file that no process has open.
    private static func alter(_ directory: URL, _ body: (inout [[UInt8]]) throws -> Void) throws {
        let url = identity(directory)
        let bytes = try Array(Data(contentsOf: url))
        var slots = stride(from: tables, to: bytes.count, by: slotBytes).map {
            Array(bytes[$0..<min($0 + slotBytes, bytes.count)])
        }
        try body(&slots)
        try Data(bytes[..<tables] + slots.joined()).write(to: url)
    }

    private static func isUsed(_ slot: [UInt8]) -> Bool { slot.contains { $0 != 0 } }

    @Test(
        "Slots that were moved, removed, duplicated or reset are detected when the file is opened, and no event is stored twice",
        arguments: ["moved", "removed", "set back", "doubled"])
    func altered(how: String) async throws {
        try await withTemporaryDirectory { directory in
            let all =
                events(1...9)
                + (0..<9).map { TelemetryEvent(eventId: "e\($0)", clientId: "client", sessionId: "s", name: "n") }
            let first = try FileTelemetryTransport(directory: directory)
            try await first.append(events(1...4))
            let before = try Data(contentsOf: Self.identity(directory))
            try await first.append(all)
            try Self.alter(directory) { slots in
                let used = try #require(slots.firstIndex(where: Self.isUsed))
                switch how {
                case "moved": slots.insert([UInt8](repeating: 0, count: Self.slotBytes), at: 0)
                case "removed": slots[used] = [UInt8](repeating: 0, count: Self.slotBytes)
                case "doubled":
                    let free = try #require(slots.firstIndex { !Self.isUsed($0) })
                    slots[free] = slots[used]
                default:
                    let old = Array(before.dropFirst(Self.tables))
                    let place = try #require(old.firstIndex { $0 != 0 }) / Self.slotBytes
                    slots[place] = Array(old[place * Self.slotBytes..<(place + 1) * Self.slotBytes])
                }
            }
            let told = Told()
            let store = try FileTelemetryTransport(directory: directory, configuration: .init(diagnostics: { told.append($0) }))
            try await store.append(all)
            #expect(try await store.fetchAllEvents() == all)
            #expect(try await store.countEvents() == all.count)
            #expect(told.all.map(\.kind) == [.corruptFile])
        }
    }

    @Test("A kill at any step leaves an identity file that is not taken for damaged, and deleted events stay known")
    func killed() async throws {
        // Enough identifiers without a number to fill the first table in the middle of an append.
        let all = (0..<150).map { TelemetryEvent(eventId: "e\($0)", clientId: "client", sessionId: "s", name: "n\($0 % 2)") }
        var step = 0
        var isComplete = false
        while !isComplete {
            try await withTemporaryDirectory { directory in
                let first = try FileTelemetryTransport(directory: directory)
                try await first.append(Array(all[..<60]))
                #expect(try await first.deleteEvents(matching: .init(names: ["n1"])) == 30)
                // From a certain call on, every operation that would change a file fails, as if the process had been killed.
                let calls = Mutex(0)
                let faults = Faults()
                let victim = try FileTelemetryTransport(directory: directory, configuration: .default, system: faults.system)
                let limit = step
                faults.set { operation, _ in
                    guard ![.read, .open, .status, .list, .lock].contains(operation) else { return nil }
                    return calls.withLock { calls in
                        calls += 1
                        return calls > limit ? EIO : nil
                    }
                }
                try? await victim.append(Array(all[50...]))
                _ = try? await victim.deleteEvents(matching: .init(names: ["n1"]))
                isComplete = calls.withLock { $0 } <= limit
                let told = Told()
                let store = try FileTelemetryTransport(
                    directory: directory, configuration: .init(diagnostics: { told.append($0) }))
                try await store.append(all)
                let names = try await store.fetchAllEvents().filter { $0.name == "n0" }.map(\.eventId)
                #expect(names == stride(from: 0, to: 150, by: 2).map { "e\($0)" }, "step \(limit)")
                let others = try await store.fetchAllEvents().filter { $0.name == "n1" }.map(\.eventId)
                #expect(Set(others).count == others.count, "step \(limit)")
                #expect(others.allSatisfy { (Int($0.dropFirst()) ?? 0) >= 60 }, "step \(limit)")
                #expect(try await store.countEvents() == names.count + others.count, "step \(limit)")
                #expect(told.all.isEmpty, "step \(limit): \(told.all)")
            }
            step += 7
        }
        #expect(step > 70)
    }
}
