import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

@testable import TelemetryRelay

/// The document of the interface against the routes, in both directions.
struct OpenAPITests {
    /// The paths and methods of the document: its own layout has a path two spaces in, and a method four.
    private static func documented() -> Set<RouteTable.Entry> {
        var entries: Set<RouteTable.Entry> = []
        var path: String?
        var isInPaths = false
        for line in OpenAPIDocument.text.split(separator: "\n") {
            if !line.hasPrefix(" ") { isInPaths = line == "paths:" }
            guard isInPaths else { continue }
            if line.hasPrefix("  /") { path = line.dropFirst(2).split(separator: ":").first.map(String.init) }
            let method = line.dropFirst(4).prefix { $0 != ":" }
            if let path, line.hasPrefix("    "), ["get", "put", "post", "delete"].contains(method) {
                entries.insert(.init(method: method.uppercased(), template: path))
            }
        }
        return entries
    }

    @Test("Each route is documented, and what is documented is a route")
    func routes() throws {
        let storage = try SQLiteRelayStorage(inMemory: .init())
        let parts = RelayParts(
            configuration: .init(), debugLogs: InMemoryDebugLogStorage(), telemetry: storage, metrics: .init(), arrivals: .init(),
            clock: ContinuousClock(), logger: Bench.logger())
        _ = parts.router()
        #expect(parts.table.all.count == 21)
        #expect(Self.documented().subtracting(parts.table.all).isEmpty)
        #expect(parts.table.all.subtracting(Self.documented()).isEmpty)
    }

    @Test("Each documented parameter is known to its route, and the document is served")
    func parameters() async throws {
        try await RelayBench.run { relay async throws -> Void in
            let served = try await relay.get("/openapi.yaml")
            #expect(served.headers[.contentType] == "application/yaml")
            #expect(served.text == OpenAPIDocument.text)
            #expect(served.text.hasPrefix("openapi: 3.1.0\n"))
            for name in EventQuery.filters { #expect(served.text.contains("\"#/components/parameters/\(name)\"")) }
        }
    }
}
