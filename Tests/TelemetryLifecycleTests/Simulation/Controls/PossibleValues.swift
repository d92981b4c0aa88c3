/// The values that a setting may have, given the calls that change it. A call in progress, and one whose process died, may have
/// taken effect or not. The calls of one process take effect in the order in which they were made.
struct PossibleValues<Value: Equatable> {
    private var settled: [Value]
    private var open: [(call: Int, value: Value)] = []

    init(_ value: Value) { settled = [value] }

    /// Every value that the setting may have now.
    var all: [Value] { settled + open.map(\.value) }

    /// The values that it may have once the calls in progress have returned.
    var next: [Value] { open.last.map { [$0.value] } ?? settled }

    mutating func begin(_ call: Int, _ value: Value) { open.append((call, value)) }

    /// Ends a call that took effect.
    /// - Parameter alternatives: The values of other changes that may have been later.
    mutating func end(_ call: Int, or alternatives: [Value] = []) {
        guard let index = open.firstIndex(where: { $0.call == call }) else { return }
        settled = [open.remove(at: index).value] + alternatives
    }

    /// Ends a call that may have taken effect.
    mutating func endUncertainly(_ call: Int) {
        guard let index = open.firstIndex(where: { $0.call == call }) else { return }
        settled.append(open.remove(at: index).value)
    }

    /// Ends a call that had no effect.
    mutating func cancel(_ call: Int) { open.removeAll { $0.call == call } }

    /// Sets the value, whatever it was.
    mutating func set(_ values: [Value]) { settled = values }

    /// Adds a value that the setting may have.
    mutating func add(_ value: Value) { settled.append(value) }

    mutating func processDied() {
        settled += open.map(\.value)
        open = []
    }
}
