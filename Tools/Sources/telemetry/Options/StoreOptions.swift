import ArgumentParser
import Foundation
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
        help: "The context of the store. Default: \(ContextStore.variable), otherwise the current context.",
        completion: Completions.contexts)
    var context: String?

    @Flag(name: .shortAndLong, help: "Also print harmless problems to standard error.")
    var verbose = false

    func validate() throws {
        if let conflict = choice.conflict { throw ValidationError(conflict) }
    }

    /// Opens the store, which must exist. Its problems are printed, and change the exit code.
    func open(_ console: Console) throws -> any TelemetryTransporting {
        try located().open { console.diagnose($0, isVerbose: verbose) }
    }

    /// Opens the store, and creates it if it is missing.
    func openOrCreate(_ console: Console) throws -> any TelemetryTransporting {
        try located().openOrCreate { console.diagnose($0, isVerbose: verbose) }
    }

    /// The store that the options, the environment or a context selects.
    func located() throws -> StoreLocation {
        let environment = ProcessInfo.processInfo.environment
        if let location = try choice.location(environment: environment, contexts: ContextStore(environment: environment)) {
            return location
        }
        throw ValidationError(
            "No store given. Use --directory DIR or set \(StoreChoice.directoryVariable). For a relay, use --relay URL, or a "
                + "context; see: telemetry context --help")
    }

    private var choice: StoreChoice {
        StoreChoice(directory: directory, relay: relay, tokenFile: tokenFile, context: context)
    }
}
