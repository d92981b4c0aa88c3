import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing

@testable import TelemetryRelay

struct PageTests {
    private static let gzip: HTTPFields = [.acceptEncoding: "gzip, deflate, br"]

    @Test("The page is served without a token, with a policy that allows the relay's own files only")
    func policy() async throws {
        try await RelayBench.run { relay async throws -> Void in
            _ = try await relay.token(.viewer)
            let page = try await relay.get("/")
            #expect(page.status == .ok)
            #expect(page.headers[.contentType] == "text/html; charset=utf-8")
            let policy = try #require(page.headers[.contentSecurityPolicy])
            #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self';"))
            #expect(!policy.contains("unsafe"))
            #expect(page.headers[.xContentTypeOptions] == "nosniff")
            #expect(page.headers[.cacheControl] == "no-cache")
        }
    }

    @Test("Every file that the page and its modules name is served, and no other")
    func files() async throws {
        try await RelayBench.run { relay async throws -> Void in
            var named: Set<String> = []
            var texts = [try await relay.get("/").text]
            for name in PageFiles.all.keys.sorted() {
                let file = try await relay.get("/web/\(name)")
                #expect(file.status == .ok, "\(name)")
                #expect(file.headers[.contentType] == PageFiles.all[name]?.contentType)
                texts.append(file.text)
            }
            for text in texts {
                named.formUnion(text.matches(of: /"(?:\.|web)\/([\w.-]+)"/).map { String($0.1) })
            }
            #expect(named == Set(PageFiles.all.keys))
        }
    }

    @Test(
        "A name that is not in the table is not found",
        arguments: [
            "/web/none.js", "/web/..%2FPackage.swift", "/web/%2E%2E", "/web/index.html", "/web/app.js%00", "/web/app.js/x",
        ])
    func unknown(path: String) async throws {
        try await RelayBench.refuses(path, .notFound, "notFound")
    }

    @Test("A compressed file expands to the plain one, and both have entity tags of their own")
    func compression() async throws {
        try await RelayBench.run { relay async throws -> Void in
            let plain = try await relay.get("/web/app.js")
            #expect(plain.headers[.contentEncoding] == nil)
            let expanded: [UInt8] = try await relay.client.execute(uri: "/web/app.js", method: .get, headers: Self.gzip) {
                answer in
                #expect(answer.headers[.contentEncoding] == "gzip")
                #expect(answer.headers[.vary] == "Accept-Encoding")
                #expect(answer.headers[.eTag] != plain.headers[.eTag])
                return Array(try GzipBody.decompress(answer.body, limit: 1 << 20).readableBytesView)
            }
            #expect(String(decoding: expanded, as: UTF8.self) == plain.text)
        }
    }

    @Test("The whole page is at most 120 KB when compressed")
    func size() async throws {
        try await RelayBench.run { relay async throws -> Void in
            var total = 0
            for path in ["/"] + PageFiles.all.keys.map({ "/web/\($0)" }) {
                total += try await relay.client.execute(uri: path, method: .get, headers: Self.gzip) { $0.body.readableBytes }
            }
            #expect(total <= 120_000)
        }
    }

    @Test("A request with the entity tag is answered with 304 and no body", arguments: ["", "gzip"])
    func notModified(encoding: String) async throws {
        try await RelayBench.run { relay async throws -> Void in
            let headers: HTTPFields = [.acceptEncoding: encoding]
            let first = try await relay.send(.get, "/web/style.css", headers: headers)
            let tag = try #require(first.headers[.eTag])
            for header in [tag, "\"other\", W/\(tag)", "*"] {
                let again = try await relay.send(
                    .get, "/web/style.css", headers: [.acceptEncoding: encoding, .ifNoneMatch: header])
                #expect(again.status == .notModified)
                #expect(again.text.isEmpty)
                #expect(again.headers[.eTag] == tag)
            }
            let other = try await relay.send(.get, "/web/style.css", headers: [.ifNoneMatch: "\"other\""])
            #expect(other.status == .ok)
        }
    }

    @Test("HEAD has the headers of GET and no body", arguments: ["/", "/web/app.js"])
    func head(path: String) async throws {
        try await RelayBench.run(.live) { relay async throws -> Void in
            let whole = try await relay.get(path)
            let head = try await relay.send(.head, path)
            #expect(head.status == .ok)
            #expect(head.text.isEmpty)
            #expect(head.headers[.eTag] == whole.headers[.eTag])
            #expect(head.headers[.contentLength] == "\(whole.text.utf8.count)")
        }
    }

    @Test("The page of another site cannot load the page's files")
    func otherSites() async throws {
        try await RelayBench.run { relay async throws -> Void in
            let answer = try await relay.send(.get, "/web/app.js", headers: [.fetchSite: "cross-site"])
            #expect(answer.status == .forbidden)
        }
    }

    @Test(
        "gzip is used only if it is accepted",
        arguments: [
            ("gzip", true), ("GZIP;q=0.5", true), ("br, gzip ; q=1", true), ("*", true), ("gzip;q=0", false),
            ("gzip;q=0, *", false),
            ("br", false), ("", false), (";", false), ("gzip" + String(repeating: ",a", count: 1_000), false),
        ])
    func acceptEncoding(header: String, accepts: Bool) {
        #expect(AcceptedValues.includesGzip(header) == accepts)
    }

    @Test("Compressed data expands to the original")
    func encoding() throws {
        for bytes in [
            [], [7], Array(repeating: 1, count: 300_000),
            (0..<70_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) },
        ] {
            let compressed = try #require(GzipEncoding.compress(bytes, level: GzipEncoding.bestCompression))
            #expect(Array(try GzipBody.decompress(ByteBuffer(bytes: compressed), limit: 1 << 20).readableBytesView) == bytes)
        }
    }
}
