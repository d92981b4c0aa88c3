import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Answers requests of the scheme `scripted` without a server: `/fails` with an error of a host, other paths with a body.
final class ScriptedProtocol: URLProtocol {
    /// Never released: on Linux the process can crash if a session is deallocated while a task ends.
    static let session = {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [ScriptedProtocol.self]
        return URLSession(configuration: configuration)
    }()

    override static func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "scripted" }

    override static func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        guard let url = request.url else { return }
        if url.path() == "/fails" {
            let text = "no answer from \(url.absoluteString)"
            client?.urlProtocol(
                self, didFailWithError: NSError(domain: "Shop", code: 7, userInfo: [NSLocalizedDescriptionKey: text]))
            return
        }
        let response = URLResponse(url: url, mimeType: nil, expectedContentLength: 4, textEncodingName: nil)
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        client?.urlProtocol(self, didLoad: Data("body".utf8))
        client?.urlProtocolDidFinishLoading(self)
    }

    override func stopLoading() {}
}
