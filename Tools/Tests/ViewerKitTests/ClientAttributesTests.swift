import Foundation
import TelemetryModels
import Testing
import ViewerKit

struct ClientAttributesTests {
    private static let client = TelemetryClientRecord(
        clientId: "k7wq", isEnabled: true, appVersion: "2.10", osVersion: "12.1", deviceModel: "box")

    @Test(
        "A condition is evaluated with the fields of the client's record, and one that is missing fulfils only a negation",
        arguments: [
            ("appVersion>=2.9", true), ("appVersion<2.9", false), ("clientId=k7wq", true), ("deviceModel in box,other", true),
            ("osVersion^=12.", true), ("libraryVersion=1", false), ("libraryVersion!=1", true),
        ])
    func attributes(text: String, holds: Bool) throws {
        let condition = try #require(RuleConditionText.condition(text))
        #expect(condition.isKnownToViewers)
        #expect(condition.holds(for: Self.client.attributes[condition.attribute]) == holds)
    }

    @Test("An alias stands for the identifier in a condition on clientId, and for nothing else")
    func aliases() {
        let aliases = ClientAliases(["phone": "k7wq"])
        let named = TelemetryRuleCondition("clientId", .oneOf, ["phone", "m3"]).resolving(aliases)
        #expect(named.values == ["k7wq", "m3"])
        #expect(TelemetryRuleCondition("deviceModel", .equals, ["phone"]).resolving(aliases).values == ["phone"])
    }

    @Test(
        "The issuer is the given name, the environment's or the user's; an empty name is none",
        arguments: [
            ("ann", ["LIVE_TELEMETRY_ISSUER": "bob"], "ann"), (nil, ["LIVE_TELEMETRY_ISSUER": "bob", "USER": "eve"], "bob"),
            (nil, ["USER": "eve"], "eve"), (nil, ["LOGNAME": "log"], "log"), ("", ["USER": "eve"], nil), (nil, [:], nil),
            (nil, ["LIVE_TELEMETRY_ISSUER": "", "USER": "eve"], nil),
        ] as [(String?, [String: String], String?)])
    func issuer(given: String?, environment: [String: String], name: String?) {
        #expect(CommandIssuer.name(given: given, environment: environment) == name)
    }
}
