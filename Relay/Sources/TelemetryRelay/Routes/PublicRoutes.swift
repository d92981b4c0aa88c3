import HTTPTypes
import Hummingbird
import Logging

/// The routes of the server that need no token: health, readiness and the interface document.
struct PublicRoutes: Sendable {
    /// Throws if the storage does not respond.
    let check: @Sendable () async throws -> Void

    func add(to router: Router<RelayRequestContext>, _ table: RouteTable) {
        add("/healthz", to: router, table) { _ in .text("ok\n") }
        add("/readyz", to: router, table) { [check] context in
            do {
                try await check()
                return .text("ok\n")
            } catch {
                context.logger.error("the storage failed", metadata: ["error": "\(error)"])
                throw Problem.unavailable("The storage does not respond.")
            }
        }
        add("/openapi.yaml", to: router, table) { _ in .text(OpenAPIDocument.text, type: "application/yaml") }
    }

    private func add(
        _ path: String, to router: Router<RelayRequestContext>, _ table: RouteTable,
        _ answer: @escaping @Sendable (RelayRequestContext) async throws -> Response
    ) {
        table.add(.get, path)
        router.get(RouterPath(path)) { _, context -> Response in try await answer(context) }
    }
}
