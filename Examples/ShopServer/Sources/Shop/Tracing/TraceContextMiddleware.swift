import HTTPTypes
import Hummingbird
import Tracing

/// Handles each request in the service context of its headers.
struct TraceContextMiddleware<Context: RequestContext>: RouterMiddleware {
    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var service = ServiceContext.topLevel
        InstrumentationSystem.instrument.extract(request.headers, into: &service, using: HeaderExtractor())
        return try await ServiceContext.withValue(service) { try await next(request, context) }
    }

    private struct HeaderExtractor: Extractor {
        func extract(key: String, from carrier: HTTPFields) -> String? { HTTPField.Name(key).flatMap { carrier[$0] } }
    }
}
