import HTTPTypes
import Hummingbird
import Logging
import TelemetryTransport

/// Converts errors to problem documents. An unexpected error becomes a 503, never an empty response.
struct ProblemMiddleware<Context: RequestContext>: RouterMiddleware {
    let routes: RouteTable

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch {
            return problem(of: error, request, context).response
        }
    }

    private func problem(of error: any Error, _ request: Request, _ context: Context) -> Problem {
        if let problem = Problem(error) { return problem }
        if let error = error as? HTTPError {
            if error.status == .notFound, let methods = routes.methods(at: request.uri.path) {
                return Problem(
                    .methodNotAllowed, .invalidArgument, "This path does not support \(request.method.rawValue.prefix(20)).",
                    headers: [.allow: methods])
            }
            return Problem(status: error.status, headers: error.headers)
        }
        if error is CancellationError { return .unavailable("The relay is shutting down.", retryAfter: 1) }
        context.logger.error("the storage failed", metadata: ["error": "\(error)"])
        return .unavailable("The storage failed.")
    }
}
