import HTTPTypes
import Hummingbird
import TelemetryModels

/// Handles each request in the context of its customer and its identifier, so that a viewer can turn an area on for one of them.
struct CustomerContext: RouterMiddleware {
    func handle(
        _ request: Request, context: BasicRequestContext, next: (Request, BasicRequestContext) async throws -> Response
    ) async throws -> Response {
        var values = ["request": context.id]
        if let name = HTTPField.Name("x-user") { values["user"] = request.headers[name] }
        return try await TelemetryContext.with(values) { try await next(request, context) }
    }
}
