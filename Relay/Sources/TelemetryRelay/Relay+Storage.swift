import Foundation
public import Logging

extension Relay {
    /// Opens the storage of debug logs.
    /// - Throws: ``RelayConfigurationError`` if the database cannot be opened.
    public static func storage(
        for configuration: RelayConfiguration, metrics: RelayMetrics = RelayMetrics()
    ) async throws -> any DebugLogStorage {
        try await opening(configuration) {
            #if PostgreSQL
            if let server = configuration.server {
                return try await PostgreSQLDebugLogStorage(
                    url: server.text, retention: configuration.retention, metrics: metrics)
            }
            #endif
            guard let file = configuration.database else {
                return try SQLiteDebugLogStorage(inMemory: configuration.retention, metrics: metrics)
            }
            return try SQLiteDebugLogStorage(file: file, retention: configuration.retention, metrics: metrics)
        }
    }

    /// Opens the storage of telemetry.
    /// - Throws: ``RelayConfigurationError`` if the database cannot be opened.
    public static func telemetryStorage(
        for configuration: RelayConfiguration, logger: Logger = Logger(label: "telemetry-relay.storage")
    ) async throws -> any RelayStorage {
        var settings = RelayStorageConfiguration()
        settings.events = configuration.eventRetention
        settings.logger = logger
        return try await opening(configuration) { [settings] in
            #if PostgreSQL
            if let server = configuration.server {
                return try await PostgreSQLRelayStorage(url: server.text, configuration: settings)
            }
            #endif
            guard let file = configuration.database else { return try SQLiteRelayStorage(inMemory: settings) }
            return try SQLiteRelayStorage(file: file, configuration: settings)
        }
    }

    private static func opening<Storage>(
        _ configuration: RelayConfiguration, _ open: () async throws -> Storage
    ) async throws -> Storage {
        do {
            return try await open()
        } catch {
            throw RelayConfigurationError("cannot open the database \(configuration.databaseDescription): \(error)")
        }
    }
}
