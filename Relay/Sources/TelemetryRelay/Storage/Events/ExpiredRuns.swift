/// The rows of `event_expired`, from which readers learn how many events they missed. Each counts events of one client that retention
/// deleted together.
///
/// The older ones are combined, one for each client, so that a reader's loss stays known after many deletions. If there are too many
/// clients, those whose last loss is longest ago are forgotten.
struct ExpiredRuns: Sendable {
    /// The number of rows that are kept as they are, and the maximum number of combined ones.
    let kept: Int

    /// SQL for the newest of the rows to combine, by its last event, and for the newest row; no row if there are not enough.
    var bounds: String {
        """
        SELECT last, (SELECT MAX(id) FROM event_expired) FROM event_expired
        WHERE (SELECT COUNT(*) FROM event_expired) > \(2 * kept) ORDER BY last DESC LIMIT 1 OFFSET \(kept)
        """
    }

    /// SQL that combines the rows up to these bounds.
    func combine(last: Int64, newest: Int64) -> [String] {
        [
            """
            INSERT INTO event_expired (client, first, last, count)
            SELECT client, MIN(first), MAX(last), SUM(count) FROM event_expired WHERE last <= \(last)
            GROUP BY client ORDER BY MAX(last) DESC LIMIT \(kept)
            """,
            "DELETE FROM event_expired WHERE last <= \(last) AND id <= \(newest)",
        ]
    }
}
