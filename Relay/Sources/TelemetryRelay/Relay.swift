public import Hummingbird
public import Logging

/// The relay, put together: routes over a storage, behind a token.
///
/// What the relay will carry later is another collection of routes over another storage, added here.
public enum Relay {
    /// - Parameter onStart: called with the port once requests are answered.
    public static func application(
        configuration: RelayConfiguration, storage: any DebugLogStorage, metrics: RelayMetrics = RelayMetrics(), logger: Logger,
        onStart: @escaping @Sendable (Int?) async -> Void = { _ in }
    ) -> some ApplicationProtocol {
        let router = Router(context: BasicRequestContext.self)
        router.add(middleware: RequestCounter(metrics: metrics))
        router.add(middleware: LogRequestsMiddleware(.debug))
        router.get("healthz") { _, _ -> Response in .text("ok\n") }
        let guarded = router.group().add(middleware: BearerMiddleware(token: configuration.token))
        guarded.get("metrics") { _, _ -> Response in .text(metrics.text(kept: try await storage.count())) }
        DebugLogRoutes(
            storage: storage, metrics: metrics, bodyLimit: configuration.bodyLimit, batchLimit: configuration.batchLimit
        ).add(to: guarded)
        return Application(
            router: router,
            configuration: .init(
                address: .hostname(configuration.host, port: configuration.port), serverName: "telemetry-relay"),
            onServerRunning: { await onStart($0.localAddress?.port) },
            logger: logger)
    }

    /// The storage that a configuration asks for.
    public static func storage(for configuration: RelayConfiguration) throws -> any DebugLogStorage {
        guard let file = configuration.database else { return InMemoryDebugLogStorage(capacity: configuration.capacity) }
        return try SQLiteDebugLogStorage(file: file, capacity: configuration.capacity)
    }
}
