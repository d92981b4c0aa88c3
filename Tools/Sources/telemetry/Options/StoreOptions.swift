import ArgumentParser
import Foundation
import TelemetryTransport
import ViewerKit

/// Which store a command works on.
struct StoreOptions: ParsableArguments {
    static let variable = "LIVE_TELEMETRY_STORE"

    @Option(name: [.customShort("d"), .long], help: "The store's directory; \(variable) unless given.")
    var directory: String?

    /// The store, which must be there.
    func open() throws -> FileTelemetryTransport { try StoreDirectory(path: path()).open() }

    /// The store, made where it is missing.
    func openOrCreate() throws -> FileTelemetryTransport { try StoreDirectory(path: path()).openOrCreate() }

    func path() throws -> String {
        if let directory, !directory.isEmpty { return directory }
        if let path = ProcessInfo.processInfo.environment[Self.variable], !path.isEmpty { return path }
        throw ValidationError("Which store? Give --directory DIR or set \(Self.variable).")
    }
}
