import ArgumentParser
import Foundation
import TelemetryTransport
import ViewerKit

/// Which store a command works on.
struct StoreOptions: ParsableArguments {
    static let variable = "LIVE_TELEMETRY_STORE"

    @Option(name: [.customShort("d"), .long], help: "The store's directory; \(variable) unless given.", completion: .directory)
    var directory: String?

    @Flag(name: .shortAndLong, help: "Tell on standard error also what was odd and did no harm.")
    var verbose = false

    /// The store, which must be there. What is wrong with it is told, and shows in the exit code.
    func open(_ console: Console) throws -> FileTelemetryTransport {
        try located().open { console.diagnose($0, isVerbose: verbose) }
    }

    /// The store, made where it is missing.
    func openOrCreate(_ console: Console) throws -> FileTelemetryTransport {
        try located().openOrCreate { console.diagnose($0, isVerbose: verbose) }
    }

    func located() throws -> StoreDirectory {
        if let directory {
            guard !directory.isEmpty else { throw ValidationError("--directory names no directory; is a variable unset?") }
            return StoreDirectory(path: directory)
        }
        if let path = ProcessInfo.processInfo.environment[Self.variable], !path.isEmpty { return StoreDirectory(path: path) }
        throw ValidationError("Which store? Give --directory DIR or set \(Self.variable).")
    }
}
