import ArgumentParser
import Foundation
import TelemetryTransport
import ViewerKit

/// The option that selects the store.
struct StoreOptions: ParsableArguments {
    static let variable = "LIVE_TELEMETRY_STORE"

    @Option(name: [.customShort("d"), .long], help: "The store's directory. Default: \(variable).", completion: .directory)
    var directory: String?

    @Flag(name: .shortAndLong, help: "Also print harmless problems to standard error.")
    var verbose = false

    /// Opens the store, which must exist. Its problems are printed, and change the exit code.
    func open(_ console: Console) throws -> FileTelemetryTransport {
        try located().open { console.diagnose($0, isVerbose: verbose) }
    }

    /// Opens the store, and creates it if it is missing.
    func openOrCreate(_ console: Console) throws -> FileTelemetryTransport {
        try located().openOrCreate { console.diagnose($0, isVerbose: verbose) }
    }

    func located() throws -> StoreDirectory {
        if let directory {
            guard !directory.isEmpty else { throw ValidationError("--directory is empty. Check that its variable is set.") }
            return StoreDirectory(path: directory)
        }
        if let path = ProcessInfo.processInfo.environment[Self.variable], !path.isEmpty { return StoreDirectory(path: path) }
        throw ValidationError("No store given. Use --directory DIR or set \(Self.variable).")
    }
}
