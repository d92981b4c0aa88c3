import Logging
import Synchronization

/// The blocks that could not be read, each of which is logged once. Pages leave out their events, and merging leaves them alone.
final class UnreadableBlocks: Sendable {
    private let logger: Logger
    private let found = Mutex<(store: StoreIdentity?, blocks: Set<Int64>)>((nil, []))

    init(logger: Logger) { self.logger = logger }

    func blocks(of store: StoreIdentity) -> Set<Int64> { found.withLock { $0.store == store ? $0.blocks : [] } }

    func add(_ blocks: Set<Int64>, of store: StoreIdentity) {
        let new = found.withLock { found in
            if found.store != store { found = (store, []) }
            defer { found.blocks.formUnion(blocks) }
            return blocks.subtracting(found.blocks)
        }
        guard let first = new.min() else { return }
        logger.error(
            "blocks of events cannot be read, and are left out; `telemetry-relay check` says why",
            metadata: ["blocks": "\(new.count)", "first": "\(first)"])
    }
}
