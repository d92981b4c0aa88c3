import AsyncHTTPClient
import Foundation
import NIOHTTP1
@_spi(Tooling) import TelemetryTestSupport

extension HTTPClientRequest {
    static func to(
        _ server: LoopbackServer, _ target: String = "", method: HTTPMethod = .GET, body: Body? = nil
    ) -> HTTPClientRequest {
        to(server.baseURL, target, method: method, body: body)
    }

    static func to(_ base: URL, _ target: String, method: HTTPMethod = .GET, body: Body? = nil) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: "\(base)\(target)")
        request.method = method
        request.body = body
        return request
    }
}
