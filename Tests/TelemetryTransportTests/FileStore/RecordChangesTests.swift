import Foundation
import TelemetryModels
import TelemetrySystem
@_spi(Tooling) import TelemetryTestKit
import Testing

@testable import TelemetryTransport

/// The changes of records that the journal names.
struct RecordChangesTests {
    private let root = TemporaryDirectory()
    private var layout: StoreLayout { StoreLayout(directory: root.url.path) }
    private let system = FileSystem()

    private func makeStore(journalBytes: Int = 1 << 20) throws -> JournalWriter {
        try system.makeDirectory(layout.directory)
        try system.makeDirectory(layout.journal)
        let writer = JournalWriter(
            layout: layout, system: system,
            configuration: .init(journalBytes: journalBytes), storeID: "store")
        try writer.prepare()
        return writer
    }

    private func write(_ name: String, with writer: JournalWriter) throws {
        _ = try #require(try writer.begin())
        defer { writer.end() }
        try writer.write([.record(RecordChange(isRemoval: false, recordType: "Thing", recordName: name))])
    }

    private func names(_ names: String...) -> RecordChanges.Names {
        [layout.records(ofType: "Thing"): Set(names.map { "\($0).json" })]
    }

    @Test("Each call names the files that were changed since the one before, over several journal files")
    func following() throws {
        let writer = try makeStore(journalBytes: 200)
        var changes = RecordChanges(layout: layout, system: system)
        #expect(changes.take() == nil)
        #expect(changes.take() == [:])
        for name in ["a", "b"] { try write(name, with: writer) }
        #expect(changes.take() == names("a", "b"))
        #expect(changes.take() == [:])
        let many = (0..<20).map { "n\($0)" }
        for name in many { try write(name, with: writer) }
        #expect(changes.take()?.values.first == Set(many.map { "\($0).json" }))
        #expect(try system.list(layout.journal).count > 1)
    }

    @Test("The changes are unknown if the journal was cut, replaced, removed or damaged; later ones are named again")
    func damage() throws {
        for how in ["cut", "replaced", "removed", "damaged"] {
            let store = Self()
            var writer = try store.makeStore()
            var changes = RecordChanges(layout: store.layout, system: store.system)
            try store.write("a", with: writer)
            #expect(changes.take() == nil)
            let journal = URL(fileURLWithPath: store.layout.journalFile(1))
            switch how {
            case "cut": try Data().write(to: journal, options: [])
            case "replaced":
                let copy = try Data(contentsOf: journal) + Data(contentsOf: journal)
                try FileManager.default.removeItem(at: journal)
                try copy.write(to: journal)
            case "removed": try FileManager.default.removeItem(at: journal)
            default: try (Data(contentsOf: journal) + Data("not an entry\n".utf8)).write(to: journal, options: [])
            }
            #expect(changes.take() == nil, "\(how)")
            writer.close()
            writer = try store.makeStore()
            _ = changes.take()
            try store.write("b", with: writer)
            #expect(changes.take() == store.names("b"), "\(how)")
        }
    }
}
