import HTTPTypes
import Hummingbird
import Logging

/// Logs each request and its response: the route, not the path or query, which contain names and may contain secrets.
struct AccessLog: RouterMiddleware {
    func handle(
        _ request: Request, context: RelayRequestContext, next: (Request, RelayRequestContext) async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        let method = request.method.rawValue.prefix(20)
        let route = context.endpointPath ?? "none"
        context.logger.debug("request", metadata: ["method": "\(method)", "route": "\(route)"])
        let response = try await next(request, context)
        context.logger.debug(
            "answer",
            metadata: [
                "method": "\(method)", "route": "\(route)", "status": "\(response.status.code)",
                "token": "\(context.trace.actor?.token ?? "none")",
                "milliseconds": "\(start.duration(to: .now) / .milliseconds(1))",
            ])
        return response
    }
}
