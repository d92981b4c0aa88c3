#if DEBUG
extension DebugLogEntry {
    /// The approximate size of the entry in memory and as JSON, computed without encoding it.
    var approximateSize: Int {
        // The identifiers, the date, the keys.
        event.utf8.count + Value.object(payload).approximateSize + 400
    }
}

extension DebugLogEntry.Value {
    fileprivate var approximateSize: Int {
        // A number has at most this size as JSON, and any value has it in memory.
        let own = 26
        switch self {
        case .null, .bool, .int, .unsigned, .double: return own
        case .string(let value): return own + value.utf8.count
        case .array(let values): return values.reduce(own) { $0 + $1.approximateSize }
        case .object(let members): return members.reduce(own) { $0 + 16 + $1.key.utf8.count + $1.value.approximateSize }
        }
    }
}
#endif
