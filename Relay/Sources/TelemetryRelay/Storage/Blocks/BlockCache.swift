import Foundation
import Synchronization

/// The text of the compressed blocks that were read last. The next page in the order of arrival usually needs the same blocks, as do the
/// readers that follow one client.
final class BlockCache: Sendable {
    private struct Content {
        let block: EventBlock
        let text: [UInt8]
    }

    /// Two generations, of which the older one is forgotten when the newer one is full.
    private struct State {
        /// Of which the blocks are.
        var store: StoreIdentity?
        var newer: [Int64: Content] = [:]
        var older: [Int64: Content] = [:]
        /// Of the newer generation.
        var bytes = 0

        /// Forgets the blocks of another database.
        mutating func validate(_ store: StoreIdentity) {
            if self.store != store { self = State(store: store) }
        }
    }

    /// The maximum size of a generation, in bytes.
    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int = 16 << 20) { self.limit = limit }

    /// The text of a block; nil if it is not here.
    /// - Parameter block: the row as it is now. After a fail-over of the database, another block may have the same id.
    func text(of block: EventBlock, in store: StoreIdentity) -> [UInt8]? {
        let content = state.withLock { state in
            state.validate(store)
            return state.newer[block.id] ?? state.older[block.id]
        }
        guard let content, content.block == block else { return nil }
        add(content, in: store)
        return content.text
    }

    /// The text of a block, from here or from the database.
    func text(of block: EventBlock, in store: StoreIdentity, _ db: any StorageConnection) throws -> [UInt8] {
        if let text = text(of: block, in: store) { return text }
        let text = try block.text(db)
        add(text, of: block, in: store)
        return text
    }

    /// What returns the text of each block, from here or from what is read from the database now. Nothing is added.
    func texts(
        of blocks: [EventBlock], in store: StoreIdentity, _ db: any StorageConnection
    ) throws -> [@Sendable () throws -> [UInt8]] {
        let known = blocks.map { text(of: $0, in: store) }
        var bodies = try EventBlock.bodies(of: zip(blocks, known).filter { $1 == nil }.map(\.0), db)[...]
        return zip(blocks, known).map { block, text in
            if let text { return { text } }
            let body = bodies.removeFirst()
            return { try block.text(of: body) }
        }
    }

    func add(_ text: [UInt8], of block: EventBlock, in store: StoreIdentity) {
        if block.isPacked { add(Content(block: block, text: text), in: store) }
    }

    private func add(_ content: Content, in store: StoreIdentity) {
        state.withLock { state in
            state.validate(store)
            let replaced = state.newer.updateValue(content, forKey: content.block.id)
            state.bytes += content.text.count - (replaced?.text.count ?? 0)
            guard state.bytes > limit else { return }
            (state.older, state.newer, state.bytes) = (state.newer, [:], 0)
        }
    }
}
