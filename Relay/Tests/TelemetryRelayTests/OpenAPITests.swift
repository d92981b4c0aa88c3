import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

@testable import TelemetryRelay

/// Compares `openapi.yaml` with the routes, in both directions.
struct OpenAPITests {
    @Test("The document and the relay have the same routes and parameters")
    func routes() throws {
        let storage = try SQLiteRelayStorage(inMemory: .init())
        let parts = RelayParts(
            configuration: .init(), storage: storage, clock: ContinuousClock(), logger: Bench.logger())
        _ = parts.router()
        #expect(parts.table.all.count == 31)
        let documented = DocumentedInterface(OpenAPIDocument.text).parameters
        #expect(Set(documented.keys) == parts.table.all)
        for (route, parameters) in parts.table.described {
            #expect(documented[route] == parameters, "\(route.method) \(route.template)")
        }
    }

    @Test(
        "A parameter of another route is refused",
        arguments: ["/v1/events/count?limit=1", "/v1/server?client=a", "/v1/records/a?after=1"])
    func otherParameters(path: String) async throws {
        try await RelayBench.refuses(path, .badRequest, "invalidArgument")
    }

    @Test("The document is served")
    func served() async throws {
        try await RelayBench.run { relay async throws -> Void in
            let served = try await relay.get("/openapi.yaml")
            #expect(served.headers[.contentType] == "application/yaml")
            #expect(served.text == OpenAPIDocument.text)
            #expect(served.text.hasPrefix("openapi: 3.1.0\n"))
        }
    }
}
