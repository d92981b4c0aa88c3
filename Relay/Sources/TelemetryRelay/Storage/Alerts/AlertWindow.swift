import Foundation

/// When the last matching events of an alert arrived, and when it fired. Times are in milliseconds of the arrival clock.
struct AlertWindow: Sendable, Equatable {
    private(set) var recent: [Int64] = []
    private(set) var fired: Int64?

    init(recent: [Int64] = [], fired: Int64? = nil) { (self.recent, self.fired) = (recent, fired) }

    /// Adds events.
    /// - Parameters:
    ///   - times: when they arrived, in order.
    ///   - quiet: that of the alert.
    /// - Returns: the indices of those at which the alert fires. Each event counts for one firing.
    mutating func add(_ times: [Int64], for condition: RelayAlert.Events, quiet: Int) -> [Int] {
        var firings: [Int] = []
        var start = 0
        let before = recent.count
        recent += times
        for index in before..<recent.count where index - start >= condition.count - 1 {
            let time = recent[index]
            let isRested = fired.map { time - $0 >= Int64(quiet) * 1_000 } ?? true
            guard isRested, time - recent[index - condition.count + 1] <= Int64(condition.within) * 1_000 else { continue }
            firings.append(index - before)
            fired = time
            start = index + 1
        }
        recent = Array(recent[max(start, recent.count - condition.count + 1)...])
        return firings
    }
}

/// The stored form of the times: a JSON array.
extension AlertWindow {
    /// - Throws: ``RelayStorageError/corrupt(_:)``.
    init(stored: Data, fired: Int64?) throws {
        guard let recent = try? JSONDecoder().decode([Int64].self, from: stored) else {
            throw RelayStorageError.corrupt("the times of an alert cannot be read")
        }
        self.init(recent: recent, fired: fired)
    }

    var stored: Data { Data("[\(recent.map(String.init).joined(separator: ","))]".utf8) }
}
