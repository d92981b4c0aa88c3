import Foundation
import TelemetrySystem
@_spi(Tooling) import TelemetryTestKit
import Testing

#if !canImport(Darwin)
private let areReportsSupported =
    DirectoryReports(system: FileSystem())?.watch(FileManager.default.temporaryDirectory.path) ?? false

/// The kernel's reports of changes. They need a temporary directory in a local file system.
@Suite(.enabled(if: areReportsSupported))
struct DirectoryReportsTests {
    private let root = TemporaryDirectory()
    private var directory: String { root.url.appending(path: "watched").path }
    private let system = FileSystem()

    /// The reports of a new directory.
    private func makeReports() throws -> DirectoryReports {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let reports = try #require(DirectoryReports(system: system))
        try write("old.json")
        try #require(reports.watch(directory))
        #expect(reports.take(directory)?.isEmpty == true)
        return reports
    }

    private func write(_ name: String) throws {
        try system.open("\(directory)/\(name)", for: .append).write(Array("x".utf8))
    }

    @Test("Every change is reported once, by the name of the entry, when the call that made it has returned")
    func changes() throws {
        let reports = try makeReports()
        try write("new.json")
        #expect(reports.take(directory)?.names == ["new.json"])
        #expect(reports.take(directory)?.isEmpty == true)
        try write("old.json")
        #expect(reports.take(directory)?.names == ["old.json"])
        try system.rename("\(directory)/old.json", to: "\(directory)/é.json")
        #expect(reports.take(directory)?.names == ["old.json", "é.json"])
        try system.link("\(directory)/new.json", to: "\(directory)/other")
        try system.remove("\(directory)/é.json")
        #expect(reports.take(directory)?.names == ["other", "é.json"])
        #expect(reports.take(directory)?.isEmpty == true)
    }

    @Test("A change of a temporary entry is reported without its name")
    func temporary() throws {
        let reports = try makeReports()
        try write("-1")
        let report = try #require(reports.take(directory))
        #expect(report.names.isEmpty && !report.isEmpty)
        try system.rename("\(directory)/-1", to: "\(directory)/1.json")
        #expect(reports.take(directory)?.names == ["1.json"])
    }

    @Test("The reports end if the directory is moved or removed, and begin again with the one that is watched next")
    func replaced() throws {
        let reports = try makeReports()
        try system.rename(directory, to: directory + "-moved")
        try system.makeDirectory(directory)
        #expect(reports.take(directory) == nil)
        #expect(reports.watch(directory))
        try write("new.json")
        #expect(reports.take(directory)?.names == ["new.json"])
        try system.remove("\(directory)/new.json")
        try system.removeDirectory(directory)
        #expect(reports.take(directory) == nil)
        #expect(!reports.isWatched(directory))
        #expect(!reports.watch(directory))
    }

    @Test("Each directory has its own reports, until it is not watched any more")
    func several() throws {
        let reports = try makeReports()
        let other = directory + "/other"
        try system.makeDirectory(other)
        #expect(reports.watch(other))
        try system.open("\(other)/1", for: .create).write([1])
        #expect(reports.take(directory)?.names == ["other"])
        #expect(reports.take(other)?.names == ["1"])
        reports.stop(other)
        try system.remove("\(other)/1")
        #expect(reports.take(other) == nil)
        #expect(reports.take(directory)?.isEmpty == true)
    }

    @Test("A symbolic link, and a directory that the system does not watch, have no reports")
    func unwatched() throws {
        let reports = try makeReports()
        let link = directory + "-link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: directory)
        #expect(!reports.watch(link))
        #expect(!reports.watch("/proc"))
        let failing = FileSystem(fault: { operation, _ in operation == .watch ? 28 : nil })
        #expect(try #require(DirectoryReports(system: failing)).watch(directory) == false)
    }

    /// The kernel's limit of waiting reports.
    private static let queue =
        (try? String(contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8))
        .flatMap { Int($0.trimmingCharacters(in: .whitespacesAndNewlines)) } ?? .max

    @Test("If reports were lost, there is none until the directory is watched again", .enabled(if: queue < 100_000))
    func overflow() throws {
        let reports = try makeReports()
        for _ in 0...Self.queue / 2 {
            try system.rename("\(directory)/old.json", to: "\(directory)/new.json")
            try system.rename("\(directory)/new.json", to: "\(directory)/old.json")
        }
        #expect(reports.take(directory) == nil)
        #expect(reports.watch(directory))
        try write("new.json")
        #expect(reports.take(directory)?.names == ["new.json"])
    }

    @Test("Of a directory with very many changed entries, the reports end, so that their memory is limited")
    func manyNames() throws {
        let reports = try makeReports()
        let other = directory + "/other"
        try system.makeDirectory(other)
        #expect(reports.watch(other))
        for number in 0..<24_000 {
            try system.link("\(directory)/old.json", to: "\(other)/\(number)")
            // Reads what waits, so that the kernel loses nothing.
            if number % 4_000 == 0 { #expect(reports.take(directory) != nil) }
        }
        #expect(reports.take(other) == nil)
        #expect(reports.take(directory) != nil)
    }
}
#endif
