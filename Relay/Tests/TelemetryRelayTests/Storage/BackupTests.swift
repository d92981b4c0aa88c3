import Foundation
import GRDB
@_spi(Tooling) import TelemetryTestKit
import Testing

@testable import TelemetryRelay

/// Copies of a database that a relay uses.
struct BackupTests {
    private let directory = TemporaryDirectory()
    private var file: URL { directory.url.appending(path: "relay.sqlite") }
    private var copy: URL { directory.url.appending(path: "backup.sqlite") }
    /// The names of all files, without those that SQLite keeps beside the database.
    private var names: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: directory.url.path).filter { !$0.hasPrefix("relay.sqlite-") }
                .sorted()
        }
    }

    @Test("A copy made during appends has everything acknowledged before it, and nothing of a batch in part")
    func concurrent() async throws {
        let storage = try SQLiteRelayStorage(file: file)
        try await StoredSample.fill(storage)
        let before = try await storage.sampleCount()
        let copies = try await withThrowingTaskGroup(of: Void.self) { group in
            for batch in 1...20 {
                group.addTask { _ = try await StoredSample.append((batch * 100 + 1)...(batch * 100 + 50), to: storage) }
            }
            var copies: [(least: Int, copy: URL)] = []
            for number in 1...5 {
                try await group.next()
                let copy = directory.url.appending(path: "copy\(number)")
                try SQLiteFile(url: file).backUp(to: copy)
                copies.append((before + 50 * number, copy))
            }
            try await group.waitForAll()
            return copies
        }
        for (least, copy) in copies {
            #expect(try SQLiteFile(url: copy).check().faults == [])
            let copied = try SQLiteRelayStorage(file: copy)
            let count = try await copied.sampleCount()
            #expect(count >= least && (count - before) % 50 == 0)
            try await copied.close()
        }
        #expect(try await storage.sampleCount() == before + 1000)
        try await storage.close()
    }

    @Test("A copy is one file that only its owner can read")
    func permissions() async throws {
        let storage = try SQLiteRelayStorage(file: file)
        try await StoredSample.fill(storage)
        try SQLiteFile(url: file).backUp(to: copy)
        try await storage.close()
        let attributes = try FileManager.default.attributesOfItem(atPath: copy.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(try SQLiteFile(url: copy).check().isIntact)
        #expect(try names == ["backup.sqlite", "relay.sqlite"])
    }

    @Test("A file that exists is not replaced")
    func exists() async throws {
        try await SQLiteRelayStorage(file: file).close()
        try Data("precious".utf8).write(to: copy)
        #expect(throws: RelayConfigurationError("\(copy.path) exists already")) { try SQLiteFile(url: file).backUp(to: copy) }
        #expect(try Data(contentsOf: copy) == Data("precious".utf8))
    }

    @Test("A copy of what is not there, or of another database, is an error that leaves nothing")
    func strange() async throws {
        let path = file.path
        #expect(throws: RelayConfigurationError("there is no database \(path)")) { try SQLiteFile(url: file).backUp(to: copy) }
        try SQLiteDatabase.prepare(file)
        try await DatabaseQueue(path: path).write { try $0.execute(sql: "CREATE TABLE other (id)") }
        #expect(throws: RelayConfigurationError("\(path) is not a relay's database")) {
            try SQLiteFile(url: file).backUp(to: copy)
        }
        #expect(try names == ["relay.sqlite"])
    }

    @Test("A copy that is killed leaves nothing under its name; one that fails leaves nothing at all")
    func killed() async throws {
        let storage = try SQLiteRelayStorage(file: file)
        try await StoredSample.fill(storage)
        try await storage.close()
        await #expect(processExitsWith: .signal(SIGXFSZ)) { [file = file as URL, copy = copy as URL] in
            limitFileSize(to: 100_000)
            try SQLiteFile(url: file).backUp(to: copy)
        }
        #expect(try !names.contains("backup.sqlite"))
        let partial = try names.filter { $0 != "relay.sqlite" }
        #expect(!partial.isEmpty && partial.allSatisfy { $0.hasPrefix("backup.sqlite.partial-") })
        for name in partial { try FileManager.default.removeItem(at: directory.url.appending(path: name)) }
        await #expect(processExitsWith: .success) { [file = file as URL, copy = copy as URL] in
            limitFileSize(to: 100_000)
            signal(SIGXFSZ, SIG_IGN)
            do {
                try SQLiteFile(url: file).backUp(to: copy)
                exit(1)
            } catch {
                exit(0)
            }
        }
        #expect(try names == ["relay.sqlite"])
    }

    @Test("The commands say what to use for another kind of database")
    func otherKinds() throws {
        var configuration = RelayConfiguration()
        configuration.database = nil
        let memory = #expect(throws: RelayConfigurationError.self) { try Relay.backUp(configuration, to: copy) }
        #expect(memory?.description.contains("in memory") == true)
        configuration.server = RelayServerURL("postgresql://user:secret@host/name")
        let server = #expect(throws: RelayConfigurationError.self) { try Relay.backUp(configuration, to: copy) }
        #expect(server?.description.contains("pg_dump") == true)
        #expect(server?.description.contains("secret") == false)
        let restored = #expect(throws: RelayConfigurationError.self) {
            _ = try Relay.restore(copy, to: configuration)
        }
        #expect(restored?.description.contains("pg_restore") == true)
    }
}

/// Makes the system end this process with SIGXFSZ when it writes beyond a size.
func limitFileSize(to bytes: UInt) {
    // The process that began the tests may ignore or block it.
    signal(SIGXFSZ, SIG_DFL)
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGXFSZ)
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    #if canImport(Darwin)
    var limit = rlimit(rlim_cur: rlim_t(bytes), rlim_max: RLIM_INFINITY)
    setrlimit(RLIMIT_FSIZE, &limit)
    #else
    var limit = rlimit(rlim_cur: rlim_t(bytes), rlim_max: .max)
    setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    #endif
}
