import Dispatch
import Foundation

/// The lines of standard input, read no faster than they are taken.
struct InputLines: Sendable {
    private static let pieceSize = 64 * 1024
    /// A longer line is handed over in pieces.
    private static let longestLine = 1 << 20

    private let pieces: AsyncStream<Data>
    private let taken = DispatchSemaphore(value: 0)

    init(_ handle: FileHandle = .standardInput) {
        let (pieces, continuation) = AsyncStream.makeStream(of: Data.self)
        self.pieces = pieces
        let taken = taken
        // Reading blocks, so it gets a thread of its own; it goes on when the piece before was dealt with.
        let reader = Thread {
            while let piece = Self.read(handle), !piece.isEmpty {
                continuation.yield(piece)
                taken.wait()
            }
            continuation.finish()
        }
        reader.start()
    }

    /// Hands over the lines, as many at a time as are there; the next ones are read when the handler has returned.
    func forEach(isolation: isolated (any Actor)? = #isolation, _ handle: ([String]) async -> Void) async {
        var rest = Data()
        for await piece in pieces {
            rest += piece
            var lines: [String] = []
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                lines.append(Self.text(rest[rest.startIndex..<end]))
                rest = rest[(end + 1)...]
            }
            rest = Data(rest)
            if rest.count > Self.longestLine {
                lines.append(Self.text(rest))
                rest = Data()
            }
            await handle(lines)
            taken.signal()
        }
        if !rest.isEmpty, !Task.isCancelled { await handle([Self.text(rest)]) }
    }

    private static func text(_ bytes: Data) -> String {
        String(decoding: bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes, as: UTF8.self)
    }

    private static func read(_ handle: FileHandle) -> Data? {
        // As soon as there is anything: `read(upToCount:)` would wait until it has that much.
        let piece = handle.availableData
        return piece.isEmpty ? nil : piece
    }
}
