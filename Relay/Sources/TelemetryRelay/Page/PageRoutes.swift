import Foundation
import HTTPTypes
import Hummingbird

/// The viewer's page: `GET /`, and the files that it loads, under `/web/`. They contain no data and need no token.
struct PageRoutes: Sendable {
    private static let fileParameter = "file"

    func add(to router: Router<RelayRequestContext>, _ table: RouteTable) {
        table.add(.get, "/")
        router.get("/") { request, _ -> Response in Self.response(PageFiles.index, to: request) }
        table.add(.get, "/web/{\(Self.fileParameter)}")
        router.get("/web/{\(Self.fileParameter)}") { request, context -> Response in
            // A lookup in a fixed table: a path never reaches the file system.
            guard let name = context.parameters.get(Self.fileParameter), let file = PageFiles.all[name] else {
                throw Problem.notFound("The page has no such file.")
            }
            return Self.response(file, to: request)
        }
    }

    /// Scripts and styles come from the relay alone, none are inline, and nothing is assigned as HTML.
    private static let policy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'",
        "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    ].joined(separator: "; ")

    private static func response(_ file: PageFile, to request: Request) -> Response {
        let acceptsGzip = AcceptedValues.includesGzip(request.headers[.acceptEncoding])
        let compressed = acceptsGzip ? file.gzip : nil
        let form = compressed ?? file.plain
        var headers: HTTPFields = [
            .eTag: form.entityTag,
            // A new version of the relay has other files under the same names.
            .cacheControl: "no-cache",
            .vary: "Accept-Encoding",
            .contentSecurityPolicy: policy,
            .xContentTypeOptions: "nosniff",
            .crossOriginResourcePolicy: "same-origin",
        ]
        if let name = HTTPField.Name("Referrer-Policy") { headers[name] = "no-referrer" }
        if let name = HTTPField.Name("Cross-Origin-Opener-Policy") { headers[name] = "same-origin" }
        if matches(request.headers[.ifNoneMatch], form.entityTag) { return Response(status: .notModified, headers: headers) }
        headers[.contentType] = file.contentType
        if compressed != nil { headers[.contentEncoding] = "gzip" }
        return Response(status: .ok, headers: headers, body: .init(byteBuffer: form.body))
    }

    /// Whether an `If-None-Match` header names the entity tag. The comparison is weak (RFC 9110, 13.1.2).
    private static func matches(_ header: String?, _ entityTag: String) -> Bool {
        guard let header else { return false }
        return header.split(separator: ",").contains { part in
            let tag = part.filter { !$0.isWhitespace }
            return tag == "*" || tag == entityTag || tag == "W/\(entityTag)"
        }
    }
}
