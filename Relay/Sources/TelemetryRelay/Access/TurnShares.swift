/// Who has a turn, among a limited number of them. Callers that wait get theirs in an order that is fair to each owner.
///
/// A caller counts for several owners, such as its client and all hosts.
struct TurnShares {
    private let maximum: Int
    /// The number of turns that are taken.
    private(set) var taken = 0
    private var used: [RelayCaller.Owner: Int] = [:]
    /// The number of turns that had begun before an owner's last one.
    private var last: [RelayCaller.Owner: Int] = [:]
    private var begun = 0
    /// The number of owners whose last turn is known without a search for those that need not be.
    private static let knownOwners = 4_096

    init(maximum: Int) { self.maximum = maximum }

    /// The maximum number of turns of an owner at once.
    private func share(of owner: RelayCaller.Owner) -> Int {
        switch owner {
        case .clientKey: 1
        case .hosts, .credential, .account: max(1, maximum / 2)
        }
    }

    private func hasRoom(for owners: [RelayCaller.Owner]) -> Bool { owners.allSatisfy { used[$0, default: 0] < share(of: $0) } }

    /// Takes a turn.
    /// - Parameter owners: for whom; a caller without any has no share, but counts.
    /// - Returns: false if there is none left for these owners.
    mutating func take(for owners: [RelayCaller.Owner]) -> Bool {
        guard taken < maximum, hasRoom(for: owners) else { return false }
        taken += 1
        for owner in owners {
            used[owner, default: 0] += 1
            last[owner] = begun
        }
        begun += 1
        return true
    }

    /// Gives a turn back.
    mutating func giveBack(from owners: [RelayCaller.Owner]) {
        taken -= 1
        for owner in owners { used[owner] = used[owner].flatMap { $0 > 1 ? $0 - 1 : nil } }
    }

    /// Takes a turn for the next of those that wait, who are in the order in which they began to.
    /// - Returns: its index: of those with room, one whose first owner's last turn is longest ago; nil if there is none.
    mutating func takeNext(of waiting: [[RelayCaller.Owner]]) -> Int? {
        guard taken < maximum else { return nil }
        let next = waiting.indices.filter { hasRoom(for: waiting[$0]) }
            .min { (turn(of: waiting[$0]), $0) < (turn(of: waiting[$1]), $1) }
        if let next { _ = take(for: waiting[next]) }
        if last.count > Self.knownOwners {
            let known = Set(waiting.joined())
            last = last.filter { used[$0.key] != nil || known.contains($0.key) }
        }
        return next
    }

    private func turn(of owners: [RelayCaller.Owner]) -> Int { owners.first.flatMap { last[$0] } ?? -1 }
}
