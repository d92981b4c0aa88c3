import TelemetryTransport

/// A valid store that is damaged and then used: whatever was damaged, nothing traps, no event is given to another client than
/// its own, none is given twice, and what is appended afterwards can be read.
enum StoreTarget {
    static func run(_ bytes: UnsafeBufferPointer<UInt8>) {
        let root = Scratch.fresh("store")
        StoreTemplate.shared.copy(to: root)
        let input = Input(bytes)
        wait {
            var run = StoreRun(root, input)
            await run.perform()
        }
    }
}
