import TelemetryModels

/// The records in the files of one directory, by the files' names, with an index of each field that a query has a condition for.
struct CachedRecords {
    /// The state of a file when it was read.
    struct FileState {
        var stamp: FileStamp
        /// Whether a later change has another stamp.
        var isSettled: Bool
    }

    /// The maximum number of fields that have an index. Queries have conditions for few fields; a caller with many would use much memory.
    private static let indexLimit = 8

    // Apart from the records, so that a look-up copies no reference.
    private var states: [String: FileState] = [:]
    private var records: [String: TelemetryRecord] = [:]
    /// The files whose state is not settled.
    private(set) var unsettled: Set<String> = []
    /// For each field, the files by the field's value.
    private var indexes: [String: [TelemetryValue: Set<String>]] = [:]

    var count: Int { states.count }

    func state(of name: String) -> FileState? { states[name] }

    func record(in name: String) -> TelemetryRecord? { records[name] }

    mutating func set(_ record: TelemetryRecord, _ state: FileState, for name: String) {
        let former = records.updateValue(record, forKey: name)
        states[name] = state
        if state.isSettled { unsettled.remove(name) } else { unsettled.insert(name) }
        for field in indexes.keys { index(name, field, from: former?[field], to: record[field]) }
    }

    mutating func remove(_ name: String) {
        guard let former = records.removeValue(forKey: name) else { return }
        states[name] = nil
        unsettled.remove(name)
        for field in indexes.keys { index(name, field, from: former[field], to: nil) }
    }

    /// Removes the files with other names.
    mutating func keep(_ names: Set<String>) {
        for name in states.keys where !names.contains(name) { remove(name) }
    }

    /// The files with every record that fulfils the conditions. Some of the records may not fulfil all of them.
    mutating func candidates(fulfilling conditions: [String: TelemetryValue]) -> [String] {
        var fewest: Set<String>?
        for (field, condition) in conditions {
            guard let key = condition.indexKey else { return [] }
            if indexes[field] == nil { addIndex(of: field) }
            let names = indexes[field]?[key] ?? []
            if names.count < fewest?.count ?? .max { fewest = names }
        }
        return fewest.map(Array.init) ?? Array(states.keys)
    }

    private mutating func addIndex(of field: String) {
        if indexes.count >= Self.indexLimit { indexes.removeAll() }
        var names: [TelemetryValue: Set<String>] = [:]
        for (name, record) in records {
            if let key = record[field]?.indexKey { names[key, default: []].insert(name) }
        }
        indexes[field] = names
    }

    private mutating func index(
        _ name: String, _ field: String, from former: TelemetryValue?, to value: TelemetryValue?
    ) {
        let (former, key) = (former?.indexKey, value?.indexKey)
        if former == key { return }
        if let former {
            indexes[field]?[former]?.remove(name)
            if indexes[field]?[former]?.isEmpty == true { indexes[field]?[former] = nil }
        }
        if let key { indexes[field]?[key, default: []].insert(name) }
    }
}

extension TelemetryValue {
    /// Equal for a value and each condition that it fulfils: a Boolean's key is its stored form. Nil for NaN, which fulfils none.
    fileprivate var indexKey: TelemetryValue? {
        if case .bool(let value) = self { return .int(value ? 1 : 0) }
        return self == self ? self : nil
    }
}
