/// What the numbers in the event lines below a header stand for.
struct HeaderTables: Sendable {
    /// The time to which the lines' times are relative, in milliseconds since 1970; nil if they are complete dates.
    var start: Int64?
    var names = TextTable()
    var threads = TextTable()
    var scenarios = TextTable()
}
