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

    /// The scenario of the events of a cell, in Unicode's form C; nil for none.
    func scenario(ofCell cell: Int, _ summary: BlockSummary, _ db: any StorageConnection) throws -> String? {
        guard let key = summary.kind(ofCell: cell).scenario else { return nil }
        guard NameKey.isDigest(key) else { return Self.scenario(ofKey: key) }
        // It is in the line of the first event.
        let isRead = (0..<summary.cellCount).map { $0 == cell }
        let events = BlockReader.candidates(
            in: try entries(db, of: summary), where: isRead, EventSelection(.all), numbers, index: 0)
        var name: String?
        try BlockReader.read(Array(events.prefix(1)), in: text(db), with: QueryLiterals(nil, nil)) {
            name = $1.value(of: .scenario)?.stringValue
        }
        return name.map(ClientIdentifier.normalized)
    }

    /// The scenario of a key that is no digest.
    static func scenario(ofKey key: Data) -> String { ClientIdentifier.normalized(String(decoding: key, as: UTF8.self)) }
}
