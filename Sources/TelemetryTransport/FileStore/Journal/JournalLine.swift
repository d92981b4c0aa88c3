import TelemetryModels
import TelemetrySystem

/// One line of the journal, the sequence of all changes in the store.
enum JournalLine: Equatable {
    /// The first line of every journal file: the store's identifier, and the number of events in all earlier files.
    case head(storeID: String, eventsBefore: UInt64)
    case batch(JournalBatch)
    case record(RecordChange)
    /// A subscription was saved.
    case subscribed(TelemetrySubscription)
    case unsubscribed(id: String)
}

/// Lines that were appended to a segment in one operation.
struct JournalBatch: Equatable {
    /// The name of the client's directory.
    var client: String
    var segment: String
    /// The offset of the header that applies to the first line.
    var headerOffset: UInt64
    var headerLine: UInt64
    /// The offset of the first line. Offsets are those in the segment as first written; line numbers never change.
    var offset: UInt64
    var line: UInt64
    var byteCount: UInt64
    var lineCount: UInt64
    var eventCount: UInt64
    /// What the batch contains; nil if its entry states none, and if that was not read.
    var summary: BatchSummary?
}

struct RecordChange: Equatable {
    var isRemoval: Bool
    var recordType: String
    var recordName: String
    var clientId: String?
}

extension JournalLine {
    /// Appends the line between two line feeds, which separate it from a truncated line before it.
    func append(to bytes: ByteBuffer) {
        bytes.append(UInt8(ascii: "\n"))
        let start = bytes.count
        switch self {
        case .head(let storeID, let eventsBefore):
            bytes.append(literal: "H ")
            bytes.append(storeID)
            bytes.append(UInt8(ascii: " "))
            bytes.append(decimal: eventsBefore)
        case .batch(let batch):
            bytes.append(literal: "B ")
            bytes.append(batch.client)
            bytes.append(UInt8(ascii: " "))
            bytes.append(batch.segment)
            for number in [
                batch.headerOffset, batch.headerLine, batch.offset, batch.line, batch.byteCount, batch.lineCount,
                batch.eventCount,
            ] {
                bytes.append(UInt8(ascii: " "))
                bytes.append(decimal: number)
            }
            if let summary = batch.summary { summary.append(to: bytes) } else { bytes.append(literal: " -") }
        case .record(let change):
            bytes.append(literal: change.isRemoval ? "R - " : "R + ")
            bytes.append(quoted: change.recordType)
            bytes.append(UInt8(ascii: " "))
            bytes.append(quoted: change.recordName)
            if let clientId = change.clientId {
                bytes.append(UInt8(ascii: " "))
                bytes.append(quoted: clientId)
            }
        case .subscribed(let subscription):
            bytes.append(literal: "S + ")
            bytes.append(quoted: subscription.id)
            bytes.append(UInt8(ascii: " "))
            bytes.append(quoted: subscription.recordType)
            if let clientId = subscription.clientId {
                bytes.append(UInt8(ascii: " "))
                bytes.append(quoted: clientId)
            }
        case .unsubscribed(let id):
            bytes.append(literal: "S - ")
            bytes.append(quoted: id)
        }
        let checksum = LineChecksum.hash(UnsafeRawBufferPointer(rebasing: bytes.bytes[start...]))
        bytes.append(UInt8(ascii: " "))
        bytes.append(hexadecimal: checksum)
        bytes.append(UInt8(ascii: "\n"))
    }

    /// Returns nil for a line that is truncated, altered, or of an unknown kind.
    init?(_ line: UnsafeBufferPointer<UInt8>) {
        var recent = BatchSummary.Recent()
        self.init(line, readsSummary: true, &recent)
    }

    /// - Parameter readsSummary: Whether the summary of a batch is needed; otherwise it is skipped.
    init?(_ line: UnsafeBufferPointer<UInt8>, readsSummary: Bool, _ recent: inout BatchSummary.Recent) {
        guard line.count > 11, line[line.count - 9] == UInt8(ascii: " "), line[1] == UInt8(ascii: " ") else { return nil }
        let body = UnsafeBufferPointer(rebasing: line[..<(line.count - 9)])
        guard LineChecksum.read(line[(line.count - 8)...]) == LineChecksum.hash(UnsafeRawBufferPointer(body)) else { return nil }
        var scanner = JSONScanner(UnsafeBufferPointer(rebasing: body[2...]))
        switch body[0] {
        case UInt8(ascii: "H"):
            guard let id = scanner.word(), let events = scanner.unsigned(), events < StoreLayout.numberLimit
            else { return nil }
            self = .head(storeID: String(decoding: id, as: UTF8.self), eventsBefore: events)
        case UInt8(ascii: "B"):
            guard let batch = JournalBatch(body, readsSummary: readsSummary, &recent) else { return nil }
            self = .batch(batch)
        case UInt8(ascii: "R"):
            let isRemoval = scanner.consume(UInt8(ascii: "-"))
            guard isRemoval || scanner.consume(UInt8(ascii: "+")), let type = scanner.string(), let name = scanner.string()
            else { return nil }
            let clientId = scanner.isAtEnd() ? nil : scanner.string()
            self = .record(.init(isRemoval: isRemoval, recordType: type, recordName: name, clientId: clientId))
        case UInt8(ascii: "S"):
            let isRemoval = scanner.consume(UInt8(ascii: "-"))
            guard isRemoval || scanner.consume(UInt8(ascii: "+")), let id = scanner.string() else { return nil }
            if isRemoval {
                self = .unsubscribed(id: id)
            } else {
                guard let type = scanner.string() else { return nil }
                let clientId = scanner.isAtEnd() ? nil : scanner.string()
                self = .subscribed(.init(id: id, recordType: type, clientId: clientId))
            }
        default: return nil
        }
    }
}

extension JournalBatch {
    fileprivate init?(_ body: UnsafeBufferPointer<UInt8>, readsSummary: Bool, _ recent: inout BatchSummary.Recent) {
        // "B client segment" and seven numbers, separated by single spaces; then the summary, or a dash for none.
        var scanner = JSONScanner(body)
        guard scanner.skip(2), let clientWord = scanner.word(), let segmentWord = scanner.word(),
            let headerOffset = scanner.unsigned(), let headerLine = scanner.unsigned(), let offset = scanner.unsigned(),
            let line = scanner.unsigned(), let byteCount = scanner.unsigned(), let lineCount = scanner.unsigned(),
            let eventCount = scanner.unsigned(),
            max(headerOffset, headerLine, offset, line, byteCount, lineCount, eventCount) < StoreLayout.numberLimit,
            !scanner.isAtEnd()
        else { return nil }
        let client = String(decoding: clientWord, as: UTF8.self)
        let segment = String(decoding: segmentWord, as: UTF8.self)
        guard StoreLayout.isFileName(client), StoreLayout.isFileName(segment) else { return nil }
        self.init(
            client: client, segment: segment,
            headerOffset: headerOffset, headerLine: headerLine, offset: offset, line: line, byteCount: byteCount,
            lineCount: lineCount, eventCount: eventCount)
        // Nil for a dash, and for a summary that is not valid.
        if readsSummary { summary = BatchSummary(&scanner, eventCount: eventCount, &recent) }
    }
}
