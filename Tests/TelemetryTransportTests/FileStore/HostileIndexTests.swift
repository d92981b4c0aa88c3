import Foundation
import TelemetryModels
import TelemetrySystem
import Testing

@testable import TelemetryTransport

struct HostileIndexTests {
    private static func index(_ change: (inout BatchSummary.Cell) -> Void) -> JournalIndex {
        var index = JournalIndex()
        index.clients = ["a"]
        index.segments = [.init(client: 0, name: "1-a", start: 0, end: 10)]
        index.sessions = [.init(client: 0, id: "s")]
        var cell = BatchSummary.Cell(
            scenario: nil, level: .info, count: 1, first: 5, last: 6, lowestSequence: 1, highestSequence: 2, dropped: 0)
        change(&cell)
        index.cells = [.init(segment: 0, session: 0, offset: 0, counts: cell)]
        return index
    }

    private static func isRead(_ index: JournalIndex) -> Bool {
        let parts = index.encoded()
        var copy = JournalIndex()
        return parts[0].bytes.withUnsafeBytes { copy.readNames($0) } && parts[1].bytes.withUnsafeBytes { copy.readCells($0) }
    }

    @Test("A cell whose bounds are in the wrong order is invalid")
    func order() {
        #expect(Self.isRead(Self.index { _ in }))
        #expect(!Self.isRead(Self.index { $0.first = 7 }))
        #expect(!Self.isRead(Self.index { $0.lowestSequence = 3 }))
    }
}
