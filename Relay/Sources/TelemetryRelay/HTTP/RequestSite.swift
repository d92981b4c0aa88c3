import HTTPTypes
import Hummingbird

/// Whose page sent a request, as a browser says it.
enum RequestSite {
    /// Whether no page sent a request, or one that the relay itself answered.
    /// - Parameter schemes: those under which the relay is reached.
    static func isOwn(_ headers: HTTPFields, authority: String?, schemes: [String] = ["http"]) -> Bool {
        let sites = headers.filter { $0.name.canonicalName == "sec-fetch-site" }.map(\.value)
        let own = Set(authority.map { authority in schemes.map { "\($0)://\(authority)".lowercased() } } ?? [])
        return sites.allSatisfy { ["same-origin", "none"].contains($0.lowercased()) }
            && headers[values: .origin].allSatisfy { own.contains($0.lowercased()) }
    }
}

/// Refuses what a page of another site sent, whatever token it bears: a browser adds what it knows to a request that its
/// person never made.
struct SiteMiddleware<Context: RequestContext>: RouterMiddleware {
    let schemes: [String]

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        // Whoever follows a link to the relay's page comes from another site.
        let isNavigation = request.uri.path == "/" && (request.method == .get || request.method == .head)
        guard isNavigation || RequestSite.isOwn(request.headers, authority: request.head.authority, schemes: schemes) else {
            throw Problem.forbidden("Another site's page sent this.")
        }
        return try await next(request, context)
    }
}
