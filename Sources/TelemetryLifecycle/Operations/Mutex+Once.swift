import Synchronization

extension Mutex where Value == String? {
    /// Returns the value, which the first call makes. For a change that may be tried more than once.
    func once(_ make: () -> String) -> String {
        withLock { value in
            let made = value ?? make()
            value = made
            return made
        }
    }
}
