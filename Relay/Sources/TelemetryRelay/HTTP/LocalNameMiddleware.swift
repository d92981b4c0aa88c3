import HTTPTypes
import Hummingbird

/// Lets in who asks for this machine by a name that is always its own.
///
/// Where no token is asked for, everybody on this machine is let in, and with them every page that a browser shows here. A page
/// may not read what another server answers, unless its own name is made to mean this machine meanwhile (DNS rebinding); then
/// its requests still bear that name. A page may also send what it cannot read the answer to; a browser then says whose page it
/// is, and only the relay's own address is let in.
struct LocalNameMiddleware<Context: RequestContext>: RouterMiddleware {
    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard request.head.authority.map(LocalName.isLocal) ?? true else {
            throw HTTPError(.misdirectedRequest, message: "Without a token, this relay is asked as localhost or by its address.")
        }
        guard LocalName.isOwn(request.headers, authority: request.head.authority) else {
            throw HTTPError(.forbidden, message: "Another site's page sent this.")
        }
        return try await next(request, context)
    }
}

/// The names by which a machine asks for itself.
enum LocalName {
    /// Whether a host, with or without a port, is this machine whatever a name server says: RFC 6761, section 6.3.
    static func isLocal(_ authority: String) -> Bool {
        var name = authority[...]
        // An address of IPv6 stands in brackets, a colon in front of the port only.
        if let colon = name.lastIndex(of: ":"), !name[colon...].contains("]") { name = name[..<colon] }
        return ["localhost", "127.0.0.1", "[::1]"].contains(name.lowercased())
    }

    /// Whether no page sent a request, or one that the relay itself answered.
    static func isOwn(_ headers: HTTPFields, authority: String?) -> Bool {
        let sites = headers.filter { $0.name.canonicalName == "sec-fetch-site" }.map(\.value)
        let origins = headers[values: .origin]
        return sites.allSatisfy { ["same-origin", "none"].contains($0.lowercased()) }
            && origins.allSatisfy { $0.lowercased() == authority.map { "http://\($0)" }?.lowercased() }
    }
}
