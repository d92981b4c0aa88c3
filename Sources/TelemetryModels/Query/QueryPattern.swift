/// A regular expression of the query language.
///
/// The expression is a nondeterministic automaton. A match follows all of its states through the text at once, as in Russ Cox,
/// "Regular Expression Matching Can Be Simple And Fast", and never goes back: its time is at most proportional to the length of the
/// text times the number of states.
struct QueryPattern: Sendable {
    typealias Text = UnsafeBufferPointer<UInt8>

    /// Describes where and why a string is not an expression of the query language.
    struct Malformed: Error {
        let message: String
    }

    /// Targets are relative. A state without one continues with the state after it.
    enum State {
        case scalar(Unicode.Scalar)
        /// An index of the expression's sets.
        case set(Int)
        case assertion(Assertion)
        case jump(Int)
        case either(Int, Int)
        case accepting
    }

    enum Assertion: String, CaseIterable {
        case start = "^"
        case end = "$"
        case wordBoundary = "\\b"
    }

    /// The number of states that are visited between two checks for cancellation; they take a fraction of a millisecond.
    private static let visitsBetweenChecks = 4_096

    private let states: [State]
    private let sets: [QueryScalarSet]
    private let ignoresCase: Bool
    /// For each value of the next byte, and finally for the end of the text: whether a match may begin there.
    private var mayBegin = [Bool](repeating: true, count: 0x101)

    init(_ pattern: String) throws(Malformed) {
        let parser = try QueryPatternParser(pattern)
        (states, sets, ignoresCase) = (parser.states, parser.sets, parser.ignoresCase)
        mayBegin = withActiveStates { first, _ in
            if activate(0, at: 0, of: nil, in: &first) { return mayBegin }
            let ascii = (0..<UInt8(0x80)).map { byte in
                let scalar = CaseVariants(of: Unicode.Scalar(byte), ignoringCase: ignoresCase)
                return first.contains { consumes(scalar, in: $0) }
            }
            return ascii + mayBegin[0x80..<0x100] + [false]
        }
    }

    /// Whether the expression matches somewhere in the text, which is UTF-8. An invalid byte counts as U+FFFD.
    func matches(_ text: Text, in context: QueryContext) -> Bool {
        withActiveStates { current, next in
            var position = 0
            var visits = 0
            while true {
                while current.isEmpty, !mayBegin(at: position, in: text) {
                    if position == text.count { return false }
                    position += 1
                }
                if mayBegin(at: position, in: text), activate(0, at: position, of: text, in: &current) { return true }
                if position == text.count { return false }
                let (scalar, width) = Self.decode(text, at: position)
                let variants = CaseVariants(of: scalar, ignoringCase: ignoresCase)
                position += width
                visits += current.count
                if visits >= Self.visitsBetweenChecks {
                    // The result of work that was cancelled is not used.
                    if context.isCancelled() { return false }
                    visits = 0
                }
                for state in current where consumes(variants, in: state) {
                    if activate(state + 1, at: position, of: text, in: &next) { return true }
                }
                current.endIndex = 0
                swap(&current, &next)
            }
        }
    }

    private func mayBegin(at position: Int, in text: Text) -> Bool {
        mayBegin[position < text.count ? Int(text[position]) : 0x100]
    }

    /// The states reached at a position.
    private struct ActiveStates: RandomAccessCollection {
        /// For each state, the last position at which it was reached; then the states of this set and of another one.
        let memory: UnsafeMutableBufferPointer<Int>
        let offset: Int
        let startIndex = 0
        var endIndex = 0

        subscript(index: Int) -> Int { memory[offset + index] }

        mutating func insert(_ state: Int, at position: Int) {
            if memory[state] == position { return }
            memory[state] = position
            memory[offset + endIndex] = state
            endIndex += 1
        }
    }

    /// Calls a closure with two empty sets, in memory that is allocated once.
    private func withActiveStates<Result>(_ body: (inout ActiveStates, inout ActiveStates) -> Result) -> Result {
        withUnsafeTemporaryAllocation(of: Int.self, capacity: states.count * 3) { memory in
            memory.initialize(repeating: -1)
            var first = ActiveStates(memory: memory, offset: states.count)
            var second = ActiveStates(memory: memory, offset: states.count * 2)
            return body(&first, &second)
        }
    }

    /// Adds the states that are reached from a state without consuming a scalar; returns whether the accepting state is reached.
    /// Each state is followed once per position, so that empty loops end. Without a text, all assertions hold.
    private func activate(_ first: Int, at position: Int, of text: Text?, in active: inout ActiveStates) -> Bool {
        var index = active.endIndex
        active.insert(first, at: position)
        while index < active.endIndex {
            let state = active[index]
            index += 1
            switch states[state] {
            case .scalar, .set: break
            case .assertion(let assertion): if holds(assertion, at: position, of: text) { active.insert(state + 1, at: position) }
            case .jump(let offset): active.insert(state + offset, at: position)
            case .either(let first, let second):
                active.insert(state + first, at: position)
                active.insert(state + second, at: position)
            case .accepting: return true
            }
        }
        return false
    }

    private func consumes(_ scalar: CaseVariants, in state: Int) -> Bool {
        switch states[state] {
        case .scalar(let expected): scalar.lowercase == expected.value
        case .set(let index): sets[index].contains(scalar)
        case .assertion, .jump, .either, .accepting: false
        }
    }

    private func holds(_ assertion: Assertion, at position: Int, of text: Text?) -> Bool {
        guard let text else { return true }
        // A scalar that is not ASCII is in no word, and nor are its bytes.
        func isInWord(_ index: Int) -> Bool { text.indices.contains(index) && QueryScalarSet.words.contains(UInt32(text[index])) }
        return switch assertion {
        case .start: position == 0
        case .end: position == text.count
        case .wordBoundary: isInWord(position - 1) != isInWord(position)
        }
    }

    private static func decode(_ text: Text, at position: Int) -> (scalar: Unicode.Scalar, width: Int) {
        if text[position] < 0x80 { return (Unicode.Scalar(text[position]), 1) }
        var parser = UTF8.ForwardParser()
        var bytes = text[position...].makeIterator()
        guard case .valid(let encoded) = parser.parseScalar(from: &bytes) else { return ("\u{fffd}", 1) }
        return (UTF8.decode(encoded), encoded.count)
    }
}
