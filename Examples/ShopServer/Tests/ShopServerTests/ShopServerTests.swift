import Foundation
import Programs
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTransport
import Testing

struct ShopServerTests {
    private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let traceparent = "00-\(trace)-00f067aa0ba902b7-01"

    private let directory = TemporaryDirectory()

    @Test("The operator opts in, a viewer turns an area on, events carry the request's trace, and SIGTERM loses none")
    func story() async throws {
        let store = directory.url.appending(path: "store")
        let options = ["--store", store.path, "--state", directory.url.appending(path: "state").path]
        let server = try await Shop("shop-server", options + ["--opt-in"])
        #expect(await server.line(with: "[telemetry pendingApproval, client ") != nil)
        let customer = Customer(shop: try #require(await server.address()))
        #expect(try await customer.order().status == 200)

        let viewer = try FileTelemetryTransport(directory: store)
        let client = try #require(try await viewer.fetchTelemetryClients().first).clientId
        try await viewer.createCommand(.init(clientId: client, action: .enable))
        #expect(await server.line(with: "[telemetry enabled")?.contains("Catalogue off, Checkout off, Payments off") == true)
        #expect(try await customer.order().status == 200)
        try await viewer.createCommand(.init(clientId: client, action: .enableScenario, scenarioName: "Payments"))
        #expect(await server.line(with: "Payments on") != nil)

        var arrivals = viewer.eventStream().makeAsyncIterator()
        #expect(try await customer.order(trace: Self.traceparent).status == 200)
        for message in ["charging", "card charged"] {
            let event = try #require(try await arrivals.next())
            #expect((event.scenario, event.property1, event.attributes["order"]) == ("Payments", message, "3"))
            #expect(event.attributes["trace_id"] == .string(Self.trace))
            #expect(event.attributes["span_id"]?.stringValue?.count == 16)
            #expect(event.attributes["card"] == (message == "charging" ? "<redacted>" : nil))
        }
        #expect(try await customer.order(card: "1").status == 402)
        #expect(try await arrivals.next()?.property1 == "charging")
        #expect(try await arrivals.next()?.property1 == "card declined")
        #expect(try await customer.order(card: "4000000000000119").status == 503)
        #expect(try await arrivals.next()?.property1 == "charging")
        #expect(try await arrivals.next()?.attributes["status"] == "503")

        try await viewer.createCommand(
            .init(
                clientId: client, action: .enableScenario, scenarioName: "Checkout",
                contextConditions: [.init("user", .equals, ["4711"])]))
        #expect(await server.line(with: "Checkout on") != nil)
        for user in ["1", "4711", nil] { #expect(try await customer.order(user: user).status == 200) }
        try await viewer.createCommand(.init(clientId: client, action: .disableScenario, scenarioName: "Checkout"))
        #expect(await server.line(with: "Checkout off, Payments on") != nil)

        server.send(SIGUSR1)
        #expect(await server.line(with: "[paused by the operator]") != nil)
        #expect(try await customer.order().status == 200)
        server.send(SIGUSR2)
        #expect(await server.line(with: "[resumed by the operator]") != nil)
        for _ in 0..<50 { #expect(try await customer.order().status == 200) }
        #expect(try await server.end(by: SIGTERM) == .exited(0))
        #expect(await server.line(with: "[telemetry idle") != nil)
        let numbers = try await viewer.fetchAllEvents().filter { $0.property1 == "card charged" }.map { $0.attributes["order"] }
        #expect(numbers == ([3, 6, 7, 8] + Array(10...59)).map { .string(String($0)) })
        let placed = try await viewer.fetchAllEvents().filter { $0.scenario == "Checkout" }
        #expect(placed.map { $0.attributes["order"] } == ["7"])
    }

    @Test("Without LiveTelemetry, the shop answers alike")
    func plain() async throws {
        let server = try await Shop("shop-server-plain", [])
        let customer = Customer(shop: try #require(await server.address()))
        #expect(try await customer.get("products/3").text.contains("Cheese"))
        #expect(try await customer.get("products/11").status == 404)
        #expect(try await customer.order(quantity: 0).status == 400)
        #expect(try await customer.order().text.contains("\"number\":1"))
        #expect(try await customer.get("metrics").text.contains("shop.orders 1 1\n"))
        #expect(try await server.end(by: SIGTERM) == .exited(0))
    }
}
