import Foundation
import HTTPTypes
import Hummingbird
@_spi(Tooling) import TelemetryModels
@_spi(Tooling) import TelemetrySystem

/// The routes of the `/v1` interface.
struct RelayRoutes: Sendable {
    /// A request with its caller and its parsed query.
    struct Asked: Sendable {
        let request: Request
        let caller: RelayCaller
        /// The query; every parameter is known to the route.
        let query: QueryParameters
        /// The position at which a stream resumes.
        let lastEventID: String?

        /// Whether the caller says that it reads events to store them elsewhere.
        var isExport: Bool { HTTPField.Name("Telemetry-Purpose").flatMap { request.headers[$0] } == "export" }

        /// The last part of the path, decoded.
        var name: String {
            get throws {
                guard let last = request.uri.path.split(separator: "/").last, let name = PercentCoding.decode(last) else {
                    throw Problem.invalidArgument("The path is not percent-encoded UTF-8, or \(StreamSafeText.fault).")
                }
                return name
            }
        }
    }

    let storage: any RelayStorage
    let access: RelayAccess
    let clients: KnownClients
    let streams: StreamRegistry
    let bodies: WaitingBodies
    let decoding: BodyDecoding
    /// Of requests that change anything but append events, which the storage combines.
    let changes: Turns
    let recordLimits: RecordLimits
    let limits: RelayLimits
    let retention: RelayEventRetention
    let metrics: RelayMetrics
    let wait: PageWait
    let queries: QueryShares
    let audit: AuditRecorder
    let alertMessages: AlertMessages

    static let allRoles: Set<RelayRole> = [.host, .viewer, .reader]
    static let writers: Set<RelayRole> = [.host, .viewer]

    /// Adds a route for callers with these roles.
    /// - Parameters:
    ///   - others: paths of other routes' methods that the template matches, too. The router prefers them to a parameter.
    ///   - allowsScope: whether it is for callers with a scope.
    ///   - query: the names of its query parameters.
    ///   - resumes: whether it reads `Last-Event-ID`.
    func add(
        _ method: HTTPRequest.Method, _ template: String, alsoAt others: [String] = [], to router: Router<RelayRequestContext>,
        _ table: RouteTable,
        roles: Set<RelayRole>, allowsScope: Bool = true, query: Set<String> = [], resumes: Bool = false,
        _ answer: @escaping @Sendable (Asked) async throws -> Response
    ) {
        table.add(method, template, RouteParameters(query: query, provesClients: true, resumes: resumes))
        for path in [template] + others {
            router.on(RouterPath(path), method: method) { [access] request, context in
                let caller = try await access.caller(of: request, context, roles: roles, allowsScope: allowsScope)
                let asked = Asked(
                    request: request, caller: caller, query: try QueryParameters(request, known: query),
                    lastEventID: resumes ? request.lastEventID : nil)
                return try await RequestOwners.$current.withValue(caller.owners) { try await answer(asked) }
            }
        }
    }

    /// What a caller sees now. What it saw when its request began may have changed since.
    func visibility(of caller: RelayCaller) async throws -> Visibility { try await Visibility(of: caller, clients) }

    func add(to router: Router<RelayRequestContext>, _ table: RouteTable) {
        addEvents(to: router, table)
        addQuery(to: router, table)
        addRecords(to: router, table)
        addSubscriptions(to: router, table)
        add(
            .get, "/v1/audit", to: router, table, roles: [.viewer, .auditor], allowsScope: false,
            query: AuditRoute.parameters,
            AuditRoute(storage: storage.audit).answer)
        AlertRoutes(
            storage: storage, messages: alertMessages, limits: limits, bodies: bodies, decoding: decoding, changes: changes,
            audit: audit
        ).add(to: self, router, table)
        addServer(to: router, table)
    }
}

extension Request {
    fileprivate var lastEventID: String? {
        guard let name = HTTPField.Name("Last-Event-ID"), let id = headers[name], !id.isEmpty else { return nil }
        return id
    }
}

/// The server itself.
extension RelayRoutes {
    func addServer(to router: Router<RelayRequestContext>, _ table: RouteTable) {
        add(.get, "/v1/server", to: router, table, roles: Self.allRoles, describeServer)
    }

    private func describeServer(_ asked: Asked) async throws -> Response {
        return .object { writer in
            writer.member("name", "telemetry-relay")
            writer.member("version", LiveTelemetryVersion.version)
            writer.member("api", 2)
            writer.key("formats")
            writer.array(["json", "lines"]) { $1.string($0) }
            writer.key("features")
            writer.array(["query", "audit", "alerts"]) { $1.string($0) }
            writer.member("time", TimestampText.string(from: Date()) ?? "")
            if asked.caller.role != .host, asked.caller.scope == nil { retention.write(to: &writer) }
            writer.key("limits")
            writer.object { writer in
                writer.member("bodyBytes", limits.bodyBytes)
                writer.member("batchEvents", limits.batchEvents)
                writer.member("saveRecords", limits.saveRecords)
                writer.member("page", limits.page)
                writer.member("waitSeconds", limits.waitSeconds)
            }
            writer.member("role", asked.caller.role.rawValue)
            if let scope = asked.caller.scope {
                writer.key("scope")
                writer.raw(scope.json)
            }
        }
    }
}

extension RelayEventRetention {
    /// Writes the members for the rules and for the limits where no rule holds.
    fileprivate func write(to writer: inout JSONWriter) {
        func seconds(_ age: TimeInterval) -> Int { Int(min(age, 1e10)) }
        writer.key("retention")
        writer.array(rules) { rule, writer in
            writer.object { writer in
                writer.member("scenario", rule.scenario.text)
                writer.member("age", seconds(rule.age ?? age))
                if let bytes = rule.bytes { writer.member("bytes", bytes) }
            }
        }
        writer.key("defaultRetention")
        writer.object { writer in
            writer.member("age", seconds(age))
            writer.member("bytes", bytes)
            writer.member("events", capacity)
        }
    }
}
