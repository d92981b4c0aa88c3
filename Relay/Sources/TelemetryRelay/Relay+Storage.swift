import Foundation
public import Logging

extension Relay {
    /// Opens the database.
    /// - Throws: ``RelayConfigurationError``.
    public static func storage(
        for configuration: RelayConfiguration, logger: Logger = Logger(label: "telemetry-relay.storage")
    ) async throws -> any RelayStorage {
        var settings = RelayStorageConfiguration()
        settings.events = configuration.eventRetention
        settings.debugLogs = configuration.retention
        settings.auditAge = configuration.auditAge
        settings.logger = logger
        do {
            #if PostgreSQL
            if let server = configuration.server {
                return try await PostgreSQLRelayStorage(url: server.text, configuration: settings)
            }
            #endif
            guard let file = configuration.database else { return try SQLiteRelayStorage(inMemory: settings) }
            return try SQLiteRelayStorage(file: file, configuration: settings)
        } catch {
            throw RelayConfigurationError("cannot open the database \(configuration.databaseDescription): \(error)")
        }
    }
}
