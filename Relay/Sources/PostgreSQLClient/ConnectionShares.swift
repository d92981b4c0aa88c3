#if PostgreSQL
/// How many of a pool's connections each owner uses. Owners that wait take turns.
package struct ConnectionShares {
    /// The maximum number of connections of one owner. Callers without an owner have no limit.
    private let maximum: Int
    private var used: [String?: Int] = [:]
    /// The number of connections that were taken before an owner's last one.
    private var turns: [String?: Int] = [:]
    private var taken = 0

    package init(maximum: Int) { self.maximum = maximum }

    package func hasRoom(for owner: String?) -> Bool { owner == nil || used[owner, default: 0] < maximum }

    package mutating func take(for owner: String?) {
        used[owner, default: 0] += 1
        turns[owner] = taken
        taken += 1
    }

    /// Gives a connection back, and takes it for the next of the owners that wait, in the order in which they began to.
    /// - Returns: the index of the next: of those with room, one whose last turn is longest ago; nil if there is none.
    package mutating func giveBack(from owner: String?, to waiting: [String?]) -> Int? {
        used[owner] = used[owner].flatMap { $0 > 1 ? $0 - 1 : nil }
        let next = waiting.indices.filter { hasRoom(for: waiting[$0]) }
            .min { (turns[waiting[$0]] ?? -1, $0) < (turns[waiting[$1]] ?? -1, $1) }
        if let next { take(for: waiting[next]) }
        let known = Set(waiting)
        turns = turns.filter { used[$0.key] != nil || known.contains($0.key) }
        return next
    }
}
#endif
