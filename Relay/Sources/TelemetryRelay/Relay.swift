import Foundation
public import Hummingbird
import HummingbirdCore
import HummingbirdTLS
public import Logging
import NIOCore
import NIOSSL
import ServiceLifecycle
import UnixSignals

/// Creates and runs the relay.
public enum Relay {
    /// - Parameters:
    ///   - storage: stays open when the application ends.
    ///   - clock: measures how long requests wait.
    ///   - uptime: returns a time that is never adjusted, for rates, caches and streams; nil uses the system's.
    ///   - onStart: called with the port once the relay accepts requests.
    public static func application(
        configuration: RelayConfiguration, storage: any RelayStorage, clock: any Clock<Duration> = ContinuousClock(),
        uptime: (@Sendable () -> Duration)? = nil, logger: Logger,
        onStart: @escaping @Sendable (Int?) async -> Void = { _ in }
    ) throws -> some ApplicationProtocol {
        let issuer = configuration.issuer.map { _ in IssuerConnection(clock: clock) }
        let parts = RelayParts(
            configuration: configuration, storage: storage, clock: clock, logger: logger,
            uptime: uptime ?? ArrivalClock.continuous()
        ) { request in
            guard let issuer else { throw IssuerError("there is no issuer") }
            return try await issuer.send(request)
        }
        let webhooks = WebhookService(storage: storage.webhooks, metrics: parts.metrics, logger: logger)
        let silences = SilenceWatch(
            alerts: storage.alerts, clients: parts.clients, sightings: parts.sightings, uptime: parts.uptime)
        let alerts = AlertService(
            storage: storage, clients: parts.clients, messages: parts.alertMessages, silences: silences, logger: logger)
        var services: [any Service] = [parts.streams, parts.connections, storage, webhooks, alerts]
        if let issuer { services.insert(issuer, at: 0) }
        if let rates = storage.sharedRates {
            services.append(RateExchange(storage: rates, limiters: parts.access.limiters, logger: logger))
        }
        return Application(
            router: parts.router(),
            server: try server(configuration, connections: parts.connections),
            configuration: .init(
                address: .hostname(configuration.host, port: configuration.port), serverName: "telemetry-relay"),
            services: services,
            onServerRunning: { await onStart($0.localAddress?.port) },
            logger: logger)
    }

    static func server(
        _ configuration: RelayConfiguration, connections: ConnectionRegistry
    ) throws -> HTTPServerBuilder {
        let plain = HTTPServerBuilder.http1(
            configuration: .init(
                additionalChannelHandlers: [ConnectionHandler(registry: connections), UnparsableRequest()]))
        guard let files = configuration.tls else { return plain }
        do {
            let certificates = try NIOSSLCertificate.fromPEMFile(files.certificate)
            let key = try NIOSSLPrivateKey(file: files.key, format: .pem)
            var tls = TLSConfiguration.makeServerConfiguration(
                certificateChain: certificates.map { .certificate($0) }, privateKey: .privateKey(key))
            tls.minimumTLSVersion = .tlsv12
            // How long a closed connection waits for the peer's close_notify, although it need not wait (RFC 8446, 6.1). The limits
            // of connections no longer count it.
            tls.shutdownTimeout = .milliseconds(500)
            return try .tls(plain, tlsConfiguration: tls)
        } catch {
            throw RelayConfigurationError("cannot use the certificate or its key: \(error)")
        }
    }

    /// Runs an application until SIGTERM or SIGINT, and then at most ten more seconds to complete the requests in progress.
    /// - Throws: ``RelayConfigurationError`` if its address must not be used without a token, or cannot be bound.
    public static func serve(
        _ application: some ApplicationProtocol, configuration: RelayConfiguration, storage: any RelayStorage
    ) async throws {
        let hasTokens = configuration.token != nil || configuration.issuer != nil ? true : try await storage.tokens.hasTokens()
        guard hasTokens || (configuration.isLocal && !configuration.isBehindProxy) else {
            throw RelayConfigurationError(
                "\(configuration.host) can be reached from other machines, and the store has no token; create one with "
                    + "telemetry-relay token create")
        }
        var group = ServiceGroupConfiguration(
            services: [application], gracefulShutdownSignals: [.sigterm, .sigint], logger: application.logger)
        group.maximumGracefulShutdownDuration = .seconds(9)
        do {
            try await ServiceGroup(configuration: group).run()
        } catch let error as IOError {
            let reason = String(cString: strerror(error.errnoCode))
            throw RelayConfigurationError("cannot listen on \(configuration.host):\(configuration.port): \(reason)")
        }
    }
}
