import Synchronization

extension Mutex where Value == String? {
    /// The value; made at the first call, for a change that may be tried more than once.
    func once(_ make: () -> String) -> String {
        withLock { value in
            let made = value ?? make()
            value = made
            return made
        }
    }
}
