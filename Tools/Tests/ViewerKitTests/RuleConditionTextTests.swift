import TelemetryModels
import Testing
import ViewerKit

struct RuleConditionTextTests {
    @Test(
        "A condition is parsed, and formatted in the same form",
        arguments: [
            ("appVersion>=2.1", TelemetryRuleCondition("appVersion", .atLeast, ["2.1"])),
            ("osVersion<15", .init("osVersion", .below, ["15"])),
            ("track=beta", .init("track", .equals, ["beta"])),
            ("track!=beta", .init("track", .notOneOf, ["beta"])),
            ("deviceModel^=iPhone", .init("deviceModel", .hasPrefix, ["iPhone"])),
            ("deviceModel in A,B", .init("deviceModel", .oneOf, ["A", "B"])),
            ("deviceModel not in A,B", .init("deviceModel", .notOneOf, ["A", "B"])),
        ])
    func forms(text: String, condition: TelemetryRuleCondition) {
        #expect(RuleConditionText.condition(text) == condition)
        #expect(RuleConditionText.string(condition) == text)
    }

    @Test("Spaces around names and values are ignored; spaces within a value are kept")
    func spaces() {
        #expect(RuleConditionText.condition(" appVersion >= 2.1 ") == .init("appVersion", .atLeast, ["2.1"]))
        #expect(RuleConditionText.condition("model in A B , C") == .init("model", .oneOf, ["A B", "C"]))
        #expect(RuleConditionText.condition("index=in a,b") == .init("index", .equals, ["in a,b"]))
    }

    @Test(
        "Text in another form is not a condition",
        arguments: ["", "appVersion", "=2", "appVersion>=", "version<=2", "version=>2", "model in", "model in A,,B", "a > 2"])
    func invalid(text: String) {
        #expect(RuleConditionText.condition(text) == nil)
    }
}
