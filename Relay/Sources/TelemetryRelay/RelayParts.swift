import Foundation
import Hummingbird
import Logging

/// The relay's components and their connections.
struct RelayParts: Sendable {
    let configuration: RelayConfiguration
    let storage: any RelayStorage
    let metrics = RelayMetrics()
    let clients: KnownClients
    let sightings: ClientSightings
    let alertMessages: AlertMessages
    /// Nil without an issuer.
    private let identities: IdentityGate?
    private let sendToIssuer: IssuerRequest.Send
    private let logger: Logger
    let clock: any Clock<Duration>
    let uptime: @Sendable () -> Duration
    let streams: StreamRegistry
    let connections: ConnectionRegistry
    let bodies: WaitingBodies
    private let decoding: BodyDecoding
    private let audit: AuditRecorder
    /// The maximum number of changes that wait for the storage at once; half of them of hosts.
    private static let changesAtOnce = 4
    let access: RelayAccess
    let table = RouteTable()

    /// - Parameter sendToIssuer: sends requests to the issuer of ID tokens.
    init(
        configuration: RelayConfiguration, storage: any RelayStorage, clock: any Clock<Duration>, logger: Logger,
        uptime: @escaping @Sendable () -> Duration = ArrivalClock.continuous(),
        sendToIssuer: @escaping IssuerRequest.Send = { _ in throw IssuerError("there is no issuer") }
    ) {
        self.configuration = configuration
        self.storage = storage
        clients = KnownClients(storage: storage.records)
        alertMessages = AlertMessages(page: configuration.publicURL ?? "", hasSamples: configuration.hasWebhookSamples)
        (self.clock, self.uptime) = (clock, uptime)
        (self.sendToIssuer, self.logger) = (sendToIssuer, logger)
        identities = configuration.issuer.map { issuer in
            IdentityGate(
                issuer: issuer, keys: IssuerKeys(issuer: issuer, send: sendToIssuer, uptime: uptime, logger: logger),
                now: { Date() }, uptime: uptime)
        }
        let gate = TokenGate(
            storage: storage.tokens, configured: configuration.token, identities: identities, now: { Date() }, uptime: uptime)
        let limits = configuration.limits.withinDescriptors()
        streams = StreamRegistry(gate: gate, limits: limits, logger: logger, clock: clock, uptime: uptime)
        sightings = ClientSightings { [streams] in streams.clients }
        connections = ConnectionRegistry(
            limits: limits, countsNetworks: !configuration.isBehindProxy, logger: logger,
            clock: clock, uptime: uptime)
        bodies = WaitingBodies(limit: limits.waitingBytes, body: max(limits.bodyBytes, configuration.bodyLimit))
        decoding = BodyDecoding(clock: clock)
        audit = AuditRecorder(storage: storage.audit, uptime: uptime)
        let rates = configuration.rates
        let isShared = storage.sharedRates != nil
        func limiter(_ rate: Int) -> RateLimiter<RelayRateSource> {
            RateLimiter(perMinute: rate, isShared: isShared, uptime: uptime)
        }
        let newClients = limiter(rates.newClients)
        access = RelayAccess(
            gate: gate, sightings: sightings, keyring: ClientKeyring(storage: storage.clientKeys, newClients: newClients),
            newClients: newClients,
            clients: limiter(rates.client), tokens: limiter(rates.token),
            debugBytes: limiter(rates.debugBytes), isBehindProxy: configuration.isBehindProxy)
    }

    func router() -> Router<RelayRequestContext> {
        let router = Router(context: RelayRequestContext.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: RequestCounter(metrics: metrics))
        router.add(middleware: AccessLog())
        router.add(middleware: ProblemMiddleware(routes: table))
        router.add(middleware: RefusalAudit(audit: audit))
        router.add(middleware: SiteMiddleware(schemes: schemes))
        PublicRoutes(check: { [storage] in try await storage.check() }).add(to: router, table)
        PageRoutes().add(to: router, table)
        SignInRoutes(
            identities: identities, send: sendToIssuer, access: access, audit: audit, logger: logger,
            attempts: RateLimiter(perMinute: SignInRoutes.attemptRate, uptime: uptime),
            exchanges: Turns(
                maximum: SignInRoutes.maximumExchanges, clock: clock,
                refusal: Problem.unavailable("Too many sign-ins wait for the issuer."))
        ).add(to: router, table)
        addMetrics(to: router)
        addDebugLogs(to: router)
        RelayRoutes(
            storage: storage, access: access, clients: clients, streams: streams, bodies: bodies,
            decoding: decoding,
            changes: Turns(maximum: Self.changesAtOnce, clock: clock),
            recordLimits: RecordLimits(storage: storage, limits: configuration.limits, uptime: uptime),
            limits: configuration.limits, retention: configuration.eventRetention, metrics: metrics,
            wait: PageWait(streams: streams, clock: clock),
            queries: QueryShares(time: configuration.limits.queryTime, clock: clock), audit: audit, alertMessages: alertMessages
        ).add(to: router, table)
        return router
    }

    /// The schemes of the relay's own pages; behind a proxy, the proxy's scheme applies.
    private var schemes: [String] {
        configuration.isBehindProxy ? ["http", "https"] : [configuration.tls == nil ? "http" : "https"]
    }

    private func addMetrics(to router: Router<RelayRequestContext>) {
        table.add(.get, "/metrics")
        let readers: Set<RelayRole> = [.viewer, .reader]
        router.group().add(middleware: AccessMiddleware(access: access, readers: readers, writers: readers))
            .get("metrics") { [metrics, storage, streams, bodies, connections, audit] _, _ -> Response in
                let gauges = RelayGauges(
                    usage: try? await storage.usage(), streams: streams.count, bodies: bodies, connections: connections,
                    omittedAuditEntries: audit.omittedEntries)
                var text = PrometheusText()
                metrics.write(to: &text)
                gauges.write(to: &text)
                return .text(text.text, type: "text/plain; version=0.0.4; charset=utf-8")
            }
    }

    private func addDebugLogs(to router: Router<RelayRequestContext>) {
        table.add(.get, "/debug/logs", .init(query: Set(DebugLogQuery.Parameter.allCases.map(\.rawValue))))
        table.add(.post, "/debug/logs")
        DebugLogRoutes(
            storage: storage.debugLogs, access: access, metrics: metrics, wait: PageWait(streams: streams, clock: clock),
            bodies: bodies, decoding: decoding, bodyLimit: configuration.bodyLimit, batchLimit: configuration.batchLimit
        ).add(
            to: router.group().add(
                middleware: AccessMiddleware(access: access, readers: [.viewer, .reader], writers: RelayRoutes.writers)))
    }
}
