import HTTPTypes
import Hummingbird

/// Counts responses by route. All unknown paths share one label, so that callers cannot exhaust memory with new paths.
struct RequestCounter<Context: RequestContext>: RouterMiddleware {
    let metrics: RelayMetrics

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        func count(_ status: Int) {
            let method = request.method.rawValue
            metrics.count(
                method: ["GET", "POST", "PUT", "DELETE", "HEAD"].contains(method) ? method : "other",
                route: Self.route(context.endpointPath),
                status: status, seconds: start.duration(to: .now) / .seconds(1))
        }
        do {
            let response = try await next(request, context)
            count(response.status.code)
            return response
        } catch {
            count((error as? any HTTPResponseError)?.status.code ?? 500)
            throw error
        }
    }

    private static func route(_ path: String?) -> String { path.map { $0 == "NotFound" ? "none" : $0 } ?? "none" }
}
