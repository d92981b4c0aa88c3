import TelemetryTransport

/// Damages a valid store and then uses it. With any damage, nothing traps, no event is read for another client or read twice,
/// and events that are appended afterwards can be read.
enum StoreTarget {
    static func run(_ bytes: UnsafeBufferPointer<UInt8>) {
        let root = Scratch.fresh("store")
        StoreTemplate.shared.copy(to: root)
        let input = ByteInput(bytes)
        wait {
            var run = StoreRun(root, input)
            await run.perform()
        }
    }
}
