import ArgumentParser
import Foundation
import TelemetryModels
import TelemetryTransport
import ViewerKit

/// The options that select the store.
struct StoreOptions: ParsableArguments {
    @Option(
        name: [.customShort("d"), .long], help: "The store's directory. Default: \(StoreChoice.directoryVariable).",
        completion: .directory)
    var directory: String?

    @Option(help: "The URL of the relay with the store, instead of a directory.")
    var relay: String?

    @Option(
        name: .customLong("token-file"),
        help: "A file with the relay's token, readable only by its owner. Default: \(RelayLocation.tokenVariable).",
        completion: .file())
    var tokenFile: String?

    @Option(
        name: .customLong("context"),
        help:
            "The context of the store. Default: \(ContextStore.variable), otherwise the current context. For enable and rule add also a condition, such as user=4711.",
        completion: Completions.contexts)
    var contexts: [String] = []

    @Flag(name: .shortAndLong, help: "Also print harmless problems to standard error.")
    var verbose = false

    func validate() throws {
        if let conflict = withoutConditions.choice.conflict { throw ValidationError(conflict) }
    }

    /// The conditions among the values of `--context`, for a command that limits a scenario to what the app works on. The names of stores
    /// have none of their symbols.
    var conditions: [TelemetryRuleCondition] { contexts.compactMap(RuleConditionText.contextCondition) }

    /// The options without these conditions.
    var withoutConditions: Self {
        var options = self
        options.contexts.removeAll { RuleConditionText.contextCondition($0) != nil }
        return options
    }

    /// Checks `--context` in such a command: a condition that were taken for a store's name would be lost, and everything recorded.
    func validateConditions() throws {
        let names = withoutConditions.contexts
        for name in names where (try? StoreContext.check(name: name)) == nil {
            throw ValidationError("--context \"\(name)\" is not a valid condition. Conditions: \(RuleConditionText.forms).")
        }
        if names.count > 1 || (names.count == 1 && (directory != nil || relay != nil)) {
            throw ValidationError(
                "--context \"\(names[0])\" is the name of a store, and the store is given already. Conditions: "
                    + "\(RuleConditionText.forms).")
        }
    }

    /// Opens the store, which must exist. Its problems are printed, and change the exit code.
    func open(_ console: Console) throws -> any TelemetryTransporting {
        try located().open { console.diagnose($0, isVerbose: verbose) }
    }

    /// Opens the store, which must exist, to export its events.
    func openForExport(_ console: Console) throws -> any TelemetryTransporting {
        try located().openForExport { console.diagnose($0, isVerbose: verbose) }
    }

    /// Opens the store, and creates it if it is missing.
    func openOrCreate(_ console: Console) throws -> any TelemetryTransporting {
        try located().openOrCreate { console.diagnose($0, isVerbose: verbose) }
    }

    /// The store that the options, the environment or a context selects.
    func located() throws -> StoreLocation {
        if let name = contexts.first(where: { RuleConditionText.contextCondition($0) != nil }) {
            throw ValidationError("--context \"\(name)\" is not the name of a context; enable and rule add take conditions.")
        }
        let environment = ProcessInfo.processInfo.environment
        if let location = try choice.location(environment: environment, contexts: ContextStore(environment: environment)) {
            return location
        }
        throw ValidationError(
            "No store given. Use --directory DIR or set \(StoreChoice.directoryVariable). For a relay, use --relay URL, or a "
                + "context; see: telemetry context --help")
    }

    private var choice: StoreChoice {
        StoreChoice(directory: directory, relay: relay, tokenFile: tokenFile, context: contexts.last)
    }
}
