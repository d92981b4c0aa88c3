import HTTPTypes
import Hummingbird

/// Detects cross-site requests by the headers that browsers add.
enum RequestSite {
    /// Whether the request was sent by no page, or by a page that the relay served.
    /// - Parameter schemes: the schemes under which the relay is reachable.
    static func isOwn(_ headers: HTTPFields, authority: String?, schemes: [String] = ["http"]) -> Bool {
        let sites = headers.filter { $0.name.canonicalName == "sec-fetch-site" }.map(\.value)
        let own = Set(authority.map { authority in schemes.map { "\($0)://\(authority)".lowercased() } } ?? [])
        return sites.allSatisfy { ["same-origin", "none"].contains($0.lowercased()) }
            && headers[values: .origin].allSatisfy { own.contains($0.lowercased()) }
    }
}

/// Refuses cross-site requests, whatever token they have: a browser adds stored credentials to requests that its user did not
/// make.
struct SiteMiddleware<Context: RequestContext>: RouterMiddleware {
    let schemes: [String]

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        // Following a link from another site to the relay's page is allowed.
        let isNavigation = request.uri.path == "/" && (request.method == .get || request.method == .head)
        guard isNavigation || RequestSite.isOwn(request.headers, authority: request.head.authority, schemes: schemes) else {
            throw Problem.forbidden("Cross-site requests are not allowed.")
        }
        return try await next(request, context)
    }
}
