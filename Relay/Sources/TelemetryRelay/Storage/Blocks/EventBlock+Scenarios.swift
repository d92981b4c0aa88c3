import Foundation
@_spi(Tooling) import TelemetryModels
@_spi(Tooling) import TelemetryTransport

extension EventBlock {
    /// About the bytes that the events of each cell take of the row, in proportion to their lines.
    func sizes(ofCells cells: Int, _ entries: [BlockEntry]) -> [Int64] {
        var lengths = [Int64](repeating: 0, count: cells)
        for entry in entries { lengths[entry.cell] += Int64(entry.length) }
        return lengths.map { size * $0 / Int64(max(1, length)) }
    }

    /// The scenarios of the events of cells, in Unicode's form C, for those that have one. Long ones are in the text, which is read once.
    func scenarios(
        ofCells cells: some Sequence<Int>, _ summary: BlockSummary, _ db: any StorageConnection
    ) throws -> [Int: String] {
        var names: [Int: String] = [:]
        var isRead = [Bool](repeating: false, count: summary.cellCount)
        for cell in cells {
            guard let key = summary.kind(ofCell: cell).scenario else { continue }
            if NameKey.isDigest(key) { isRead[cell] = true } else { names[cell] = Self.scenario(ofKey: key) }
        }
        guard isRead.contains(true) else { return names }
        var events = BlockReader.candidates(
            in: try entries(db, of: summary), where: isRead, EventSelection(.all), numbers, index: 0)
        var seen: Set<Int> = []
        events.removeAll { !seen.insert($0.entry.cell).inserted }
        try BlockReader.read(events, in: text(db), with: QueryLiterals(nil, nil)) { event, stored in
            names[event.entry.cell] = (stored.value(of: .scenario)?.stringValue).map(ClientIdentifier.normalized)
        }
        return names
    }

    /// The scenario of a key that is no digest.
    static func scenario(ofKey key: Data) -> String { ClientIdentifier.normalized(String(decoding: key, as: UTF8.self)) }
}
