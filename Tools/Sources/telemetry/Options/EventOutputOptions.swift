import ArgumentParser
import ViewerKit

/// An output format as a command-line argument.
enum FormatArgument: String, CaseIterable, ExpressibleByArgument {
    case table, wide, json, csv

    var format: EventFormatter.Format {
        switch self {
        case .table, .wide: .table
        case .json: .json
        case .csv: .csv
        }
    }
}

/// The options for the output of events.
struct EventOutputOptions: ParsableArguments {
    @Option(
        name: [.long, .customLong("output"), .customShort("o")],
        help: """
            The format: table, wide (a table with every column), json (one object per line, with the schema's field names) or csv (RFC 4180; a cell that a \
            spreadsheet would read as a formula starts with an apostrophe). Control characters are escaped in table and json, \
            and in csv on a terminal.
            """)
    var format = FormatArgument.table

    @Option(
        help:
            "The columns of table and csv output (a narrow terminal shows fewer by default): \(EventColumn.allCases.map(\.rawValue).joined(separator: ","))."
    )
    var columns: String?

    func validate() throws {
        if columns != nil, format == .json {
            throw ValidationError("--columns requires --format table, wide or csv; JSON objects contain all fields.")
        }
        _ = try chosen(width: nil)
    }

    func formatter(_ console: Console, _ aliases: ClientAliases) throws -> EventFormatter {
        EventFormatter(
            format.format, columns: try chosen(width: console.width), style: console.style, width: console.width, aliases: aliases
        )
    }

    /// The columns of a table that are left out by default, because the terminal is narrow.
    func unselectedColumns(_ console: Console) -> [EventColumn] {
        guard columns == nil, format == .table else { return [] }
        let shown = EventColumn.standard(for: console.width)
        return EventColumn.standard.filter { !shown.contains($0) }
    }

    private func chosen(width: Int?) throws -> [EventColumn] {
        guard let columns else {
            if format == .wide { return EventColumn.allCases.filter { $0 != .time } }
            return format == .csv ? EventColumn.allCases.filter { $0 != .time } : EventColumn.standard(for: width)
        }
        return try columns.split(separator: ",", omittingEmptySubsequences: false).map { name in
            guard let column = EventColumn(rawValue: name.lowercased().filter { $0 != " " }) else {
                throw ValidationError(
                    "Unknown column \"\(name)\". Columns: \(EventColumn.allCases.map(\.rawValue).joined(separator: ", ")).")
            }
            return column
        }
    }
}
