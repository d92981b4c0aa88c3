import TelemetryModels
import TelemetrySystem

/// The form of a summary in a journal entry: the session, the first time and the time span, then each cell.
extension BatchSummary {
    /// The strings read last, which are mostly also the next ones.
    struct Recent {
        fileprivate var session = ""
        fileprivate var scenario = ""
    }

    /// Appends the summary to a journal entry.
    func append(to bytes: ByteBuffer) {
        bytes.append(UInt8(ascii: " "))
        bytes.append(quoted: session)
        append([first, last - first], to: bytes)
        for cell in cells ?? [] {
            bytes.append(UInt8(ascii: " "))
            if let scenario = cell.scenario { bytes.append(quoted: scenario) } else { bytes.append(UInt8(ascii: "-")) }
            bytes.append(literal: cell.level == .info ? " i" : " d")
            append(
                [
                    cell.count, cell.first - first, cell.last - cell.first, cell.lowestSequence,
                    cell.highestSequence - cell.lowestSequence, cell.dropped,
                ], to: bytes)
        }
    }

    private func append(_ numbers: [UInt64], to bytes: ByteBuffer) {
        for number in numbers {
            bytes.append(UInt8(ascii: " "))
            bytes.append(decimal: number)
        }
    }

    /// Reads the rest of a journal entry; nil if it is not a valid summary of a batch with this number of events.
    init?(_ scanner: inout JSONScanner, eventCount: UInt64, _ recent: inout Recent) {
        guard let session = scanner.string(orSameAs: &recent.session), let first = scanner.unsigned(),
            let span = scanner.unsigned()
        else { return nil }
        self.init(session: session, first: first, last: first.addingClamped(span), cells: nil)
        if scanner.isAtEnd() { return }
        var cells: [Cell] = []
        var count: UInt64 = 0
        repeat {
            guard let cell = Cell(&scanner, after: first, &recent.scenario), cell.last <= last,
                cells.count < Self.maximumCells
            else { return nil }
            count = count.addingClamped(cell.count)
            cells.append(cell)
        } while !scanner.isAtEnd()
        guard count == eventCount else { return nil }
        self.cells = cells
    }
}

extension BatchSummary.Cell {
    fileprivate init?(_ scanner: inout JSONScanner, after start: UInt64, _ recent: inout String) {
        var scenario: String?
        if !scanner.consume(UInt8(ascii: "-")) {
            scenario = scanner.string(orSameAs: &recent)
            if scenario == nil { return nil }
        }
        let isInfo = scanner.consume(UInt8(ascii: "i"))
        guard isInfo || scanner.consume(UInt8(ascii: "d")), let count = scanner.unsigned(), let offset = scanner.unsigned(),
            let span = scanner.unsigned(), let lowest = scanner.unsigned(), let range = scanner.unsigned(),
            let dropped = scanner.unsigned()
        else { return nil }
        let first = start.addingClamped(offset)
        self.init(
            scenario: scenario, level: isInfo ? .info : .diagnostic, count: count, first: first,
            last: first.addingClamped(span), lowestSequence: lowest, highestSequence: lowest.addingClamped(range),
            dropped: dropped)
    }
}
