import TelemetryModels
import TelemetryTransport
import Testing
import ViewerKit

struct ClientResolverTests {
    @Test("An alias selects its client, and none if another client has it as its identifier")
    func alias() async throws {
        let transport = InMemoryTelemetryTransport()
        for client in ["k7wq", "till-2", "till-21"] {
            _ = try await transport.createTelemetryClient(clientId: client, isEnabled: true)
        }
        let aliases = ClientAliases(["till-1": "k7wq", "k7wq": "k7wq"])
        let resolver = ClientResolver(transport: transport, aliases: aliases)
        #expect(try await resolver.identifier("till-1") == "k7wq")
        #expect(try await resolver.identifier("till-2") == "till-2")
        #expect(try await resolver.identifier("k7wq") == "k7wq")

        _ = try await transport.createTelemetryClient(clientId: "till-1", isEnabled: false)
        let refusal = try #require(await #expect(throws: ToolFailure.self) { try await resolver.client("till-1") })
        #expect(refusal.message.contains("telemetry alias --remove till-1"))
        await #expect(throws: refusal) { try await resolver.identifier("till-1") }
        await #expect(throws: refusal) { try await resolver.clients(["till-1"], acceptsUnknown: true) }
        #expect(try await ClientResolver(transport: transport).client("till-1").isEnabled == false)
    }
}
