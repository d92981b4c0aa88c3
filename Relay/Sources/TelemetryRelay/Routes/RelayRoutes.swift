import HTTPTypes
import Hummingbird

/// What the routes of the interface share.
struct RelayRoutes: Sendable {
    /// What an answer is made from.
    struct Asked: Sendable {
        let request: Request
        let context: RelayRequestContext
        let caller: RelayCaller

        /// A parameter of the path, decoded.
        func name(_ parameter: String) throws -> String {
            guard let raw = context.parameters.get(parameter), let name = PercentCoding.decode(raw) else {
                throw Problem.invalidArgument("The path is not percent-encoded UTF-8.")
            }
            return name
        }

        /// Refuses any query.
        func expectNoQuery() throws { _ = try QueryParameters(request, known: []) }
    }

    let storage: any RelayStorage
    let access: RelayAccess
    let streams: StreamRegistry
    let limits: RelayLimits
    let metrics: RelayMetrics
    let clock: any Clock<Duration>

    static let everybody = Set(RelayRole.allCases)
    static let writers: Set<RelayRole> = [.host, .viewer]

    /// Adds a route that callers of these roles may use.
    func add(
        _ method: HTTPRequest.Method, _ template: String, to router: Router<RelayRequestContext>, _ table: RouteTable,
        roles: Set<RelayRole>, _ answer: @escaping @Sendable (Asked) async throws -> Response
    ) {
        table.add(method, template)
        router.on(RouterPath(template), method: method) { [access] request, context in
            let caller = try await access.caller(of: request, context, roles: roles)
            return try await answer(Asked(request: request, context: context, caller: caller))
        }
    }

    func add(to router: Router<RelayRequestContext>, _ table: RouteTable) {
        addEvents(to: router, table)
        addRecords(to: router, table)
        addSubscriptions(to: router, table)
        addServer(to: router, table)
    }
}
