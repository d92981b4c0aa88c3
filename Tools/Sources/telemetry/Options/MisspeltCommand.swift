import ArgumentParser
import ViewerKit

/// A subcommand on the command line that does not exist.
struct MisspeltCommand {
    /// The maximum number of changed characters for a suggestion.
    private static let maximumDistance = 2

    private let name: String
    private let suggestions: [String]
    private let path: [String]

    /// Returns nil if the arguments name subcommands that exist.
    init?(_ arguments: [String], in root: any ParsableCommand.Type) {
        var command = root
        var path = [Self.name(of: root)]
        for argument in arguments {
            let subcommands = command.configuration.subcommands
            // An option, or an argument of the command.
            guard !argument.hasPrefix("-"), !subcommands.isEmpty, argument != "help" else { return nil }
            guard let next = subcommands.first(where: { Self.name(of: $0) == argument }) else {
                name = argument
                self.path = path
                let distances = subcommands.map { ($0, Self.distance(Array(argument), Array(Self.name(of: $0)))) }
                let names = distances.filter { $0.1 <= Self.maximumDistance }.sorted { $0.1 < $1.1 }.map { Self.name(of: $0.0) }
                let starting = subcommands.map(Self.name).filter { argument.count > 1 && $0.hasPrefix(argument) }
                suggestions = names.isEmpty ? starting : names
                return
            }
            command = next
            path.append(argument)
        }
        return nil
    }

    var message: String {
        let command = path.joined(separator: " ")
        let hint = suggestions.first.map { " Did you mean \"\($0)\"?" } ?? ""
        return "No command \"\(name.visible.fitted(to: 80))\".\(hint) To list the commands: \(command) --help"
    }

    private static func name(of command: any ParsableCommand.Type) -> String { command.configuration.commandName ?? "" }

    /// The number of inserted, removed, replaced and swapped characters.
    static func distance(_ left: [Character], _ right: [Character]) -> Int {
        var rows = [Array(0...right.count)]
        for row in 1..<max(1, left.count + 1) {
            var current = [row]
            for column in 1..<max(1, right.count + 1) {
                let change = left[row - 1] == right[column - 1] ? 0 : 1
                var best = min(rows[row - 1][column] + 1, current[column - 1] + 1, rows[row - 1][column - 1] + change)
                if row > 1, column > 1, left[row - 1] == right[column - 2], left[row - 2] == right[column - 1] {
                    best = min(best, rows[row - 2][column - 2] + 1)
                }
                current.append(best)
            }
            rows.append(current)
        }
        return rows.last?.last ?? 0
    }
}
