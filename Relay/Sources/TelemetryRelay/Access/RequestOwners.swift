/// Whose request a task answers, so that what requests share is shared fairly.
enum RequestOwners {
    /// The owners of the request; empty outside of requests.
    @TaskLocal static var current: [RelayCaller.Owner] = []

    /// What waits, in an order that is fair to its owners: the first of each in the order of arrival, then the second of each.
    static func inTurns<Waiting>(_ waiting: [Waiting], by owner: (Waiting) -> RelayCaller.Owner?) -> [Waiting] {
        var counts: [RelayCaller.Owner?: Int] = [:]
        let turns = waiting.map { one in
            let turn = counts[owner(one), default: 0]
            counts[owner(one)] = turn + 1
            return turn
        }
        return waiting.indices.sorted { (turns[$0], $0) < (turns[$1], $1) }.map { waiting[$0] }
    }
}
