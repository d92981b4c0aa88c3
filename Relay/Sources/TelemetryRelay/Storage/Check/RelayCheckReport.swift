/// What a check of a database found.
public struct RelayCheckReport: Sendable, Equatable {
    /// The first faults, at most ``maximumFaults``.
    public private(set) var faults: [String] = []
    /// The number of all faults.
    public private(set) var faultCount = 0
    /// The numbers of rows that were read, with what the rows are, such as `12 records`.
    private var counts: [String] = []

    /// The maximum number of faults that are kept.
    public static let maximumFaults = 1_000

    public var isIntact: Bool { faultCount == 0 }

    /// One line with what was read and the number of faults.
    public var summary: String {
        let faults = faultCount == 0 ? "no faults" : faultCount == 1 ? "1 fault" : "\(faultCount) faults"
        return "checked \(counts.joined(separator: ", ")): \(faults)"
    }

    mutating func add(_ fault: String) {
        faultCount += 1
        if faults.count < Self.maximumFaults { faults.append(fault) }
    }

    mutating func note(_ count: Int, _ rows: String) { counts.append("\(count) \(rows)") }

    /// Adds a fault unless a condition is true.
    mutating func expect(_ condition: Bool, _ fault: @autoclosure () -> String) {
        if !condition { add(fault()) }
    }

    /// Runs `body`. Adds a fault if it throws.
    mutating func expect(_ place: String, _ body: (inout RelayCheckReport) throws -> Void) {
        do {
            try body(&self)
        } catch {
            add("\(place): \(error)")
        }
    }
}
