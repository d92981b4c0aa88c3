import HTTPTypes
import Hummingbird

/// Lets in who bears the token.
struct BearerMiddleware<Context: RequestContext>: RouterMiddleware {
    let token: BearerToken

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard token.isBorne(by: request.headers[.authorization]) else {
            throw HTTPError(.unauthorized, headers: [.wwwAuthenticate: "Bearer"])
        }
        return try await next(request, context)
    }
}
