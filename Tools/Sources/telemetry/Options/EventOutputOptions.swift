import ArgumentParser
import ViewerKit

/// A format as it is typed.
enum FormatArgument: String, CaseIterable, ExpressibleByArgument {
    case table, json, csv

    var format: EventFormatter.Format {
        switch self {
        case .table: .table
        case .json: .json
        case .csv: .csv
        }
    }
}

/// How events are written.
struct EventOutputOptions: ParsableArguments {
    @Option(
        help: """
            table, json (an object a line, the schema's names) or csv (RFC 4180: a cell is the text itself, after an apostrophe \
            where a spreadsheet would take it for a formula). What a terminal would act on is escaped in table and json, and in \
            csv on a terminal.
            """)
    var format = FormatArgument.table

    @Option(
        help:
            "For table (fewer of them unless given, on a narrow terminal) and csv: \(EventColumn.allCases.map(\.rawValue).joined(separator: ","))."
    )
    var columns: String?

    func validate() throws {
        if columns != nil, format == .json {
            throw ValidationError("--columns goes with table and csv; in JSON every object has all that its event has.")
        }
        _ = try chosen(width: nil)
    }

    func formatter(_ console: Console) throws -> EventFormatter {
        EventFormatter(format.format, columns: try chosen(width: console.width), style: console.style, width: console.width)
    }

    private func chosen(width: Int?) throws -> [EventColumn] {
        guard let columns else {
            return format == .csv ? EventColumn.allCases.filter { $0 != .time } : EventColumn.standard(for: width)
        }
        return try columns.split(separator: ",", omittingEmptySubsequences: false).map { name in
            guard let column = EventColumn(rawValue: name.lowercased().filter { $0 != " " }) else {
                throw ValidationError(
                    "There is no column \"\(name)\"; there are: \(EventColumn.allCases.map(\.rawValue).joined(separator: ", ")).")
            }
            return column
        }
    }
}
