import Dispatch
import Foundation

/// The lines of standard input, read no faster than they are consumed.
struct InputLines: Sendable {
    private static let pieceSize = 64 * 1024
    /// A longer line is split.
    private static let longestLine = 1 << 20

    private let pieces: AsyncStream<Data>
    private let taken = DispatchSemaphore(value: 0)

    init(_ handle: FileHandle = .standardInput) {
        let (pieces, continuation) = AsyncStream.makeStream(of: Data.self)
        self.pieces = pieces
        let taken = taken
        // Reading blocks, so it runs on a separate thread, which continues when the previous chunk was consumed.
        let reader = Thread {
            while let piece = Self.read(handle), !piece.isEmpty {
                continuation.yield(piece)
                taken.wait()
            }
            continuation.finish()
        }
        reader.start()
    }

    /// Passes the available lines to the handler; the next ones are read when the handler has returned.
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
        // Returns as soon as any bytes are available; `read(upToCount:)` would wait for all of them.
        let piece = handle.availableData
        return piece.isEmpty ? nil : piece
    }
}
