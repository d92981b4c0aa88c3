import Foundation
import TelemetryModels
import TelemetryTestSupport
import TelemetryTransport
import Testing

@testable import ViewerKit

struct RuleUpdateTests {
    @Test("A change keeps the fields that another writer has changed meanwhile")
    func concurrent() async throws {
        let transport = MockTelemetryTransport()
        let rule = try await transport.store.createRule(TelemetryRuleRecord(ruleId: "r1", scenarioName: "A", level: .info))
        let id = try #require(rule.recordID)
        let end = Date(timeIntervalSince1970: 1_800_000_000)
        transport.hold(.saveRecords)
        async let changed = transport.updateRule(recordID: id) { $0.percentage = 50 }
        await transport.held(.saveRecords)
        _ = try await transport.store.updateRule(recordID: id) { $0.expires = end }
        transport.release(.saveRecords)
        var expected = rule
        expected.percentage = 50
        expected.expires = end
        #expect(try await changed == expected)
        #expect(try await transport.store.fetchRules() == [expected])
        #expect(transport.calls(of: .saveRecords).count == 2)
    }

    @Test("A rule that was removed meanwhile is not stored again")
    func removed() async throws {
        let transport = MockTelemetryTransport()
        let rule = try await transport.store.createRule(TelemetryRuleRecord(ruleId: "r1", scenarioName: "A"))
        let id = try #require(rule.recordID)
        transport.hold(.saveRecords)
        let change = Task { try await transport.updateRule(recordID: id) { $0.percentage = 50 } }
        await transport.held(.saveRecords)
        try await transport.store.deleteRule(recordID: id)
        transport.release(.saveRecords)
        let error = await #expect(throws: TelemetryTransportError.self) { try await change.value }
        #expect(error?.code == .notFound)
        #expect(try await transport.store.fetchRules().isEmpty)
    }
}
