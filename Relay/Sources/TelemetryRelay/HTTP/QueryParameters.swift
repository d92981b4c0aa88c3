import Hummingbird
@_spi(Tooling) import TelemetrySystem

/// A decoded query. An unknown parameter is an error, because a misspelled filter would match everything.
struct QueryParameters {
    private let values: [String: [String]]

    init(_ request: Request, known: Set<String>) throws(Problem) {
        try self.init(request.uri.query ?? "", known: known)
    }

    init(_ query: String, known: Set<String>) throws(Problem) {
        var values: [String: [String]] = [:]
        for (name, value) in try Self.pairs(in: query, plusIsSpace: true) {
            guard known.contains(name) else {
                throw .invalidArgument("Unknown parameter \"\(DebugLogBatch.shortened(name))\".")
            }
            values[name, default: []].append(value)
        }
        self.values = values
    }

    /// The decoded names and values of a query, in its order.
    /// - Parameter plusIsSpace: whether `+` is a space.
    static func pairs(in query: String, plusIsSpace: Bool) throws(Problem) -> [(name: String, value: String)] {
        var pairs: [(name: String, value: String)] = []
        for pair in query.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentCoding.decode(parts[0], plusIsSpace: plusIsSpace),
                let value = PercentCoding.decode(parts.count > 1 ? parts[1] : "", plusIsSpace: plusIsSpace)
            else { throw .invalidArgument("The query is not percent-encoded UTF-8, or \(StreamSafeText.fault).") }
            pairs.append((name, value))
        }
        return pairs
    }

    func contains(_ name: String) -> Bool { values[name] != nil }

    /// All values of a parameter that may repeat; nil if it is absent.
    func all(_ name: String) -> [String]? { values[name] }

    /// The value of a parameter that may occur once.
    func single(_ name: String) throws(Problem) -> String? {
        guard let values = values[name] else { return nil }
        guard values.count == 1 else { throw .invalidArgument("\(name) is given more than once.") }
        return values[0]
    }

    /// The order that `order` names; nil if it is absent.
    func order() throws(Problem) -> RelayEventOrder? { try choice("order", ["asc": .ascending, "desc": .descending]) }

    /// Whether a parameter is `true`; false if it is absent.
    func flag(_ name: String) throws(Problem) -> Bool { try choice(name, ["true": true, "false": false]) ?? false }

    private func choice<Value>(_ name: String, _ choices: [String: Value]) throws(Problem) -> Value? {
        guard let text = try single(name) else { return nil }
        guard let value = choices[text] else {
            throw .invalidArgument("\(name) must be \(choices.keys.sorted().joined(separator: " or ")).")
        }
        return value
    }

    /// The value of a parameter that must be a whole number in a range.
    func number(_ name: String, _ range: ClosedRange<Int>) throws(Problem) -> Int? {
        guard let text = try single(name) else { return nil }
        guard text.utf8.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }), let number = Int(text), range.contains(number) else {
            throw .invalidArgument("\(name) must be a whole number from \(range.lowerBound) to \(range.upperBound).")
        }
        return number
    }
}
