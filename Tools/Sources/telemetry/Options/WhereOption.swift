import ArgumentParser
import TelemetryModels

/// The option that selects events by a query.
struct WhereOption: ParsableArguments {
    @Option(
        name: .customLong("where"), parsing: .unconditional,
        help: "Only events that match this query, such as 'status:>=500 \"card declined\" -user:4711'.",
        completion: Completions.queries)
    var text: String?

    func validate() throws { _ = try query() }

    func query() throws -> TelemetryQuery? { try text.map(QueryText.filter) }
}
