import Foundation
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTransport
import Testing

/// A valid store is damaged in one place, then read, appended to, deleted from and followed. `TELEMETRY_ROUNDS` sets the number
/// of rounds, `TELEMETRY_SEED` the damage.
struct StructuredDamageTests {
    private static let rounds =
        ProcessInfo.processInfo.environment["TELEMETRY_ROUNDS"].flatMap(UInt64.init) ?? 60

    @Test(
        "After damage in one place, every other event can be read, once, as its client's"
    )
    func damage() async throws {
        for round in 0..<Self.rounds {
            let seed = randomSeed &+ round
            try await withTemporaryDirectory { directory in
                var trial = Trial(directory: directory, random: SeededGenerator(seed: seed))
                try await trial.run(comment: "TELEMETRY_SEED=\(seed) TELEMETRY_ROUNDS=1")
            }
        }
    }

    private struct Trial {
        let directory: URL
        var random: SeededGenerator
        /// The stored events, in the order in which they were appended.
        var stored: [TelemetryEvent] = []
        /// The identifiers of the events that the damage may have made unreadable.
        var exposed: Set<String> = []
        var note = ""
        /// Whether other lines depend on the damaged one. A transport that read it before may still use it.
        var isHeaderDamaged = false

        mutating func pick<Element>(_ elements: [Element]) -> Element? {
            elements.isEmpty ? nil : elements[Int(random.next() % UInt64(elements.count))]
        }

        func next(_ client: String, _ session: UInt64, _ sequence: UInt64) -> TelemetryEvent {
            event(
                sequence, client: client, session: "\(client)-s\(session)", name: "n\(sequence % 5)",
                property1: "p")
        }

        mutating func run(comment: String) async throws {
            let configuration = FileTelemetryTransport.Configuration(
                segmentBytes: random.next() % 2 == 0 ? 600 : 5_000,
                journalBytes: random.next() % 2 == 0 ? 400 : 5_000)
            let writer = try FileTelemetryTransport(directory: directory, configuration: configuration)
            try await fill(writer)
            let viewer = try FileTelemetryTransport(directory: directory, configuration: configuration)
            // In half of the trials the damaged files are open.
            let isOpen = random.next() % 2 == 0
            if isOpen { _ = try await viewer.fetchAllEvents() }
            let page = try await viewer.events(
                matching: .all, after: nil, limit: Int(random.next() % UInt64(stored.count)) + 1)
            try damage()
            let comment = Comment(rawValue: "\(comment): \(note)")

            let fresh = try FileTelemetryTransport(directory: directory, configuration: configuration)
            var reader = isOpen ? viewer : fresh
            var found = try await reader.fetchAllEvents()
            check(found, comment)
            #expect(try await reader.countEvents() == found.count, comment)
            #expect(
                try await reader.countEvents(matching: .init(levels: [.info])) == found.count, comment)
            let rest = try await reader.events(matching: .all, after: page.cursor, limit: 10_000).events
            #expect(Set(rest).subtracting(found).isSubset(of: stored), comment)
            #expect(rest.count == Set(rest).count, comment)

            // From a cursor at the end, exactly the new events are returned.
            let end = try await reader.events(matching: .all, after: nil, limit: 10_000).cursor
            let added = ["a", "b", "new"].map { next($0, 9, 1) }
            try await writer.append(added)
            #expect(
                try await reader.events(matching: .all, after: end, limit: 99).events == added, comment)
            stored += added
            // Events that are appended again are stored again only if they were no longer known.
            try await reader.append(stored.filter { $0.clientId == "a" })
            found = try await reader.fetchAllEvents()
            check(found, comment)

            if isHeaderDamaged {
                reader = try FileTelemetryTransport(directory: directory, configuration: configuration)
                found = try await reader.fetchAllEvents()
            }
            let name = "n\(random.next() % 5)"
            let count = try await reader.deleteEvents(matching: .init(names: [name]))
            #expect(count == found.count { $0.name == name }, comment)
            found.removeAll { $0.name == name }
            #expect(try await reader.fetchAllEvents() == found, comment)
            #expect(try await reader.countEvents() == found.count, comment)
            #expect(
                try await FileTelemetryTransport(directory: directory).fetchAllEvents() == found, comment)
            #expect(
                try await reader.deleteEvents(forClient: "a") == found.count { $0.clientId == "a" }, comment
            )
            #expect(try await reader.fetchAllEvents() == found.filter { $0.clientId != "a" }, comment)
            _ = try await reader.deleteAllEvents()
            #expect(try await reader.countEvents() == 0, comment)
        }

        private func check(_ found: [TelemetryEvent], _ comment: Comment) {
            let known = Dictionary(uniqueKeysWithValues: stored.map { ($0.eventId, $0) })
            let intact = found.filter { known[$0.eventId] == $0 }
            #expect(Set(intact.map(\.eventId)).count == intact.count, comment)
            // One line may be read as another event; its header determines its client.
            #expect(found.count - intact.count <= 1, comment)
            #expect(found.allSatisfy { $0.sessionId.hasPrefix("\($0.clientId ?? "")-s") }, comment)
            let lost = Set(known.keys).subtracting(intact.map(\.eventId))
            #expect(lost.subtracting(exposed).isEmpty, comment)
        }

        private mutating func fill(_ writer: FileTelemetryTransport) async throws {
            let other = try FileTelemetryTransport(directory: directory)
            var sequence: UInt64 = 0
            for _ in 0..<random.next() % 20 + 4 {
                guard let client = pick(["a", "b", "c"]) else { return }
                let session = random.next() % 2
                let batch = (0...random.next() % 6).map { next(client, session, sequence + $0) }
                sequence += UInt64(batch.count)
                try await (random.next() % 3 == 0 ? other : writer).append(batch)
                stored += batch
            }
            if random.next() % 2 == 0 {
                let name = "n\(random.next() % 5)"
                _ = try await writer.deleteEvents(matching: .init(names: [name]))
                stored.removeAll { $0.name == name }
            }
            if stored.isEmpty {
                stored = [next("a", 0, 1_001)]
                try await writer.append(stored)
            }
        }

        private mutating func damage() throws {
            let files = try files(below: directory).keys.sorted()
            switch random.next() % 8 {
            case 0, 1, 2, 3: try damageByte(of: pick(files.filter { $0.hasSuffix(".jsonl") }))
            case 4: try damageByte(of: pick(files.filter { $0.hasSuffix(".log") }))
            case 5: try duplicateEntry(in: pick(files.filter { $0.hasSuffix(".log") }))
            case 6:
                try loseFile(
                    pick(
                        files.filter { $0.hasSuffix(".log") }.sorted {
                            $0.count < $1.count || $0.count == $1.count && $0 < $1
                        }.dropLast()))
            default: try damageIndex(pick(files.filter { $0.hasSuffix("identity") }))
            }
        }

        private mutating func change(_ path: String?, _ body: (inout Data, inout SeededGenerator) -> Void)
            throws
        {
            guard let path else { return }
            let url = directory.appending(path: path)
            var data = try Data(contentsOf: url)
            body(&data, &random)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: url.path)
            let file = try FileHandle(forWritingTo: url)
            try file.truncate(atOffset: 0)
            try file.write(contentsOf: data)
            try file.close()
        }

        private mutating func damageByte(of path: String?) throws {
            var line = Data()
            var following = Data()
            var note = ""
            try change(path) { data, random in
                // Line feeds more often than their share of the bytes.
                let feeds = data.indices.filter { data[$0] == 10 }
                let place =
                    random.next() % 3 == 0
                    ? feeds[Int(random.next() % UInt64(feeds.count))]
                    : Int(random.next() % UInt64(data.count))
                let byte = [0, 10, 32, 0x22, UInt8(truncatingIfNeeded: random.next())][
                    Int(random.next() % 5)]
                let start = data[..<place].lastIndex(of: 10).map { $0 + 1 } ?? 0
                let end = data[place...].firstIndex(of: 10) ?? data.count
                line = data[start..<end]
                following = data[min(end + 1, data.count)...].prefix { $0 != 10 }
                if place < end { following = Data() }
                note = "byte \(place) of \(path ?? "") is \(byte), was \(data[place])"
                data[place] = byte
            }
            self.note = note
            expose(String(decoding: line, as: UTF8.self), path ?? "")
            if !following.isEmpty { expose(String(decoding: following, as: UTF8.self), path ?? "") }
        }

        /// A segment's line costs its event, or its client's events if others depend on it; an entry costs its client's events.
        private mutating func expose(_ line: String, _ path: String) {
            let parts = path.split(separator: "/").map(String.init)
            if line.hasPrefix("{\"seq\":") {
                let number = line.dropFirst(7).prefix { $0.isNumber }
                let client = parts[1]
                exposed.formUnion(
                    stored.filter { $0.clientId == client && "\($0.sequence)" == number }.map(\.eventId))
            } else if line.hasPrefix("{\"segment\"") || line.isEmpty {
            } else if path.hasSuffix(".jsonl") {
                isHeaderDamaged = true
                exposed.formUnion(stored.filter { $0.clientId == parts[1] }.map(\.eventId))
            } else if line.hasPrefix("B ") {
                let words = line.split(separator: " ").map(String.init)
                exposed.formUnion(stored.filter { $0.clientId == words[1] }.map(\.eventId))
            }
        }

        private mutating func duplicateEntry(in path: String?) throws {
            note = "an entry of \(path ?? "") is there twice"
            try change(path) { data, random in
                let entries = String(decoding: data, as: UTF8.self).split(separator: "\n").filter {
                    $0.hasPrefix("B ")
                }
                guard !entries.isEmpty else { return }
                data += Data("\n\(entries[Int(random.next() % UInt64(entries.count))])\n".utf8)
            }
        }

        private mutating func loseFile(_ path: String?) throws {
            guard let path else { return }
            note = "\(path) is lost"
            for line in String(
                decoding: try Data(contentsOf: directory.appending(path: path)), as: UTF8.self
            ).split(
                separator: "\n")
            {
                expose(String(line), path)
            }
            try FileManager.default.removeItem(at: directory.appending(path: path))
        }

        private mutating func damageIndex(_ path: String?) throws {
            note = "\(path ?? "") is damaged"
            try change(path) { data, random in
                switch random.next() % 3 {
                case 0: data = data.prefix(Int(random.next() % UInt64(data.count)))
                case 1:
                    for word in 4..<23 where random.next() % 4 == 0 {
                        data.replaceSubrange(word * 8..<word * 8 + 8, with: Data(repeating: 0xff, count: 8))
                    }
                default:
                    data[Int(random.next() % UInt64(data.count))] = UInt8(truncatingIfNeeded: random.next())
                }
            }
        }
    }
}
