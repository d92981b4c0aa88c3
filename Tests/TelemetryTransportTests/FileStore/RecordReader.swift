import Foundation
import TelemetryModels
import TelemetrySystem
import Testing

@testable import TelemetryTransport

/// A store, a cache that watches small directories too, and the counts of listings and of record files read.
struct RecordReader {
    let directory: URL
    let folder: URL
    let cache: RecordCache
    let layout: StoreLayout
    let listings = ByteCounter()
    let reads = ByteCounter()
    let failing = Faults()

    init(_ directory: URL, isWatching: Bool = true, later: Int64 = 0) {
        self.directory = directory
        layout = StoreLayout(directory: directory.standardizedFileURL.path)
        let path = layout.records(ofType: "Thing")
        folder = URL(filePath: path)
        let system = FileSystem(
            fault: { [listings, failing] operation, name in
                if operation == .list, name == path { listings.add(name) }
                return operation == .watch && !isWatching ? ENOSPC : failing.error(operation, name)
            }, now: { Int64(Date.now.timeIntervalSince1970) + later },
            readObserver: { [reads] path, _ in if path.hasSuffix(".json") { reads.add(path) } })
        let configuration = FileTelemetryTransport.Configuration.default
        cache = RecordCache(
            files: RecordFiles(layout: layout, system: system, configuration: configuration), watchedCount: 1)
    }

    func records(_ query: TelemetryRecordQuery) throws -> [TelemetryRecord] {
        query.apply(
            to: try cache.records(
                in: layout.records(ofType: "Thing"), below: layout.records, fulfilling: query.conditions, where: query.matches
            ))
    }

    /// Compares the results with those of a transport that has read nothing yet.
    func expectCurrent(_ comment: Comment) async throws {
        let opened = try FileTelemetryTransport(directory: directory)
        for query in [Self.query(1), Self.query(nil), Self.query(0)] {
            let expected = try await opened.records(matching: query)
            #expect(try records(query) == expected, comment)
        }
    }

    /// Sets the date of the directory, in seconds since 1970.
    func setDate(_ seconds: Int) throws {
        let date = Date(timeIntervalSince1970: Double(seconds))
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: folder.path)
    }

    func files() throws -> [URL] {
        try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "json" }.sorted { $0.path < $1.path }
    }

    static func record(_ name: String, _ value: Int64) -> TelemetryRecord {
        var record = TelemetryRecord(recordType: "Thing", recordID: .init(recordName: name))
        record["value"] = .int(value)
        return record
    }

    static func query(_ value: Int64?) -> TelemetryRecordQuery {
        .init(recordType: "Thing", conditions: value.map { ["value": .int($0)] } ?? [:])
    }
}
