/// What the numbers in the event lines below a header stand for.
package struct HeaderTables: Sendable {
    /// The time to which the lines' times are relative, in milliseconds since 1970; nil if they are complete dates.
    package var start: Int64?
    package var names = TextTable()
    package var threads = TextTable()
    package var scenarios = TextTable()

    package init() {}
}
