import ArgumentParser
import Foundation
import TelemetryRelay

/// Where a relay keeps its data.
struct DatabaseOptions: ParsableArguments {
    @Option(
        help: "The database file (\(RelayConfiguration.defaultDatabase.path)), or postgresql://USER@HOST/NAME.",
        completion: .file())
    var database: String?

    /// The configuration of a command that works on the database and does not listen.
    func maintenanceConfiguration() throws -> RelayConfiguration {
        var options = RelayOptions()
        options.database = database
        // The address does not matter here.
        options.host = RelayConfiguration().host
        return try options.resolved()
    }

    func withWebhooks(_ body: (RelayWebhooks) async throws -> Void) async throws {
        try await withStorage { try await body(RelayWebhooks(storage: $0.webhooks)) }
    }

    func withTokens(_ body: (RelayTokens) async throws -> Void) async throws {
        try await withStorage { try await body(RelayTokens(storage: $0.tokens)) }
    }

    /// Opens the store for as long as `body` runs.
    func withStorage(_ body: (any RelayStorage) async throws -> Void) async throws {
        let storage = try await Relay.storage(for: try maintenanceConfiguration())
        do {
            try await body(storage)
        } catch {
            try? await storage.close()
            throw error
        }
        try await storage.close()
    }
}
