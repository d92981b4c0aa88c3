import ArgumentParser
import ViewerKit

/// The output format of a list.
enum ListFormat: String, CaseIterable, ExpressibleByArgument { case table, json }

/// The option for the output of a list.
struct ListOutputOptions: ParsableArguments {
    @Option(
        name: [.long, .customLong("output"), .customShort("o")],
        help: "The format: table, or json (one object per line, nothing truncated).")
    var format = ListFormat.table

    /// Prints one object per line, or the table.
    func print(
        _ objects: @autoclosure () -> [JSONLine], _ table: @autoclosure () throws -> Table, _ console: Console
    ) rethrows {
        switch format {
        case .table: try table().lines(style: console.style, width: console.width).forEach(console.line)
        case .json: objects().forEach { console.line($0.text) }
        }
    }
}
