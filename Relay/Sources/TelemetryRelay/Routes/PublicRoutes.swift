import HTTPTypes
import Hummingbird
import Logging

/// The routes that need no token: health, readiness, the interface document and the page.
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
        add("/", to: router, table) { _ in
            .text(
                Self.page, type: "text/html; charset=utf-8", .ok,
                [.contentSecurityPolicy: "default-src 'none'; frame-ancestors 'none'", .xContentTypeOptions: "nosniff"])
        }
    }

    private func add(
        _ path: String, to router: Router<RelayRequestContext>, _ table: RouteTable,
        _ answer: @escaping @Sendable (RelayRequestContext) async throws -> Response
    ) {
        table.add(.get, path)
        router.get(RouterPath(path)) { _, context -> Response in try await answer(context) }
    }

    private static let page = """
        <!DOCTYPE html>
        <html lang="en">
        <head><meta charset="utf-8"><title>telemetry-relay</title></head>
        <body>
        <h1>telemetry-relay</h1>
        <p>This relay carries telemetry between apps and the people who run them. Its interface:
        <a href="openapi.yaml">openapi.yaml</a>.</p>
        </body>
        </html>

        """
}
