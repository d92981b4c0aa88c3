import Foundation
public import Hummingbird
public import Logging
import NIOCore
import ServiceLifecycle
import UnixSignals

/// The relay, put together: routes over a storage, behind a token.
///
/// What the relay will carry later is another collection of routes over another storage, added here.
public enum Relay {
    /// - Parameters:
    ///   - metrics: those that the storage counts into.
    ///   - onStart: called with the port once requests are answered.
    public static func application(
        configuration: RelayConfiguration, storage: any DebugLogStorage, metrics: RelayMetrics = RelayMetrics(),
        arrivals: DebugLogArrivals = DebugLogArrivals(), logger: Logger,
        onStart: @escaping @Sendable (Int?) async -> Void = { _ in }
    ) -> some ApplicationProtocol {
        let router = Router(context: BasicRequestContext.self)
        router.add(middleware: RequestCounter(metrics: metrics))
        router.add(middleware: LogRequestsMiddleware(.debug))
        router.get("healthz") { _, context -> Response in
            do {
                _ = try await storage.usage()
                return .text("ok\n")
            } catch {
                context.logger.error("the storage failed", metadata: ["error": "\(error)"])
                return .text("the storage failed\n", .serviceUnavailable)
            }
        }
        let guarded = router.group()
        if let token = configuration.token {
            guarded.add(middleware: BearerMiddleware(token: token))
        } else {
            guarded.add(middleware: LocalNameMiddleware())
        }
        guarded.get("metrics") { _, _ -> Response in
            .text(metrics.text(kept: try? await storage.usage()), type: "text/plain; version=0.0.4; charset=utf-8")
        }
        DebugLogRoutes(
            storage: storage, arrivals: arrivals, metrics: metrics, bodyLimit: configuration.bodyLimit,
            batchLimit: configuration.batchLimit
        ).add(to: guarded)
        return Application(
            router: router,
            // A client that stops in the middle of a request, or keeps a connection for nothing, is let go.
            server: .http1(configuration: .init(idleTimeout: .seconds(75))),
            configuration: .init(
                address: .hostname(configuration.host, port: configuration.port), serverName: "telemetry-relay"),
            services: [DebugLogExpiry(storage: storage, metrics: metrics, logger: logger)],
            onServerRunning: { await onStart($0.localAddress?.port) },
            logger: logger)
    }

    /// The storage that a configuration asks for.
    /// - Throws: ``RelayConfigurationError`` where its file is of no use.
    public static func storage(
        for configuration: RelayConfiguration, metrics: RelayMetrics = RelayMetrics()
    ) throws -> any DebugLogStorage {
        guard let file = configuration.database else {
            return InMemoryDebugLogStorage(retention: configuration.retention, metrics: metrics)
        }
        do {
            return try SQLiteDebugLogStorage(file: file, retention: configuration.retention, metrics: metrics)
        } catch {
            throw RelayConfigurationError("the database \(file.path) cannot be opened: \(error)")
        }
    }

    /// Runs an application until SIGTERM or SIGINT, and then until the requests under way are answered, ten seconds at most.
    /// - Throws: ``RelayConfigurationError`` where its address cannot be listened on.
    public static func serve(_ application: some ApplicationProtocol, configuration: RelayConfiguration) async throws {
        var group = ServiceGroupConfiguration(
            services: [application], gracefulShutdownSignals: [.sigterm, .sigint], logger: application.logger)
        group.maximumGracefulShutdownDuration = .seconds(10)
        do {
            try await ServiceGroup(configuration: group).run()
        } catch let error as IOError {
            let reason = String(cString: strerror(error.errnoCode))
            throw RelayConfigurationError("cannot listen on \(configuration.host):\(configuration.port): \(reason)")
        }
    }
}
