import Foundation
import TelemetryCloudKit
import TelemetryTransport
import Testing

struct CloudKitNameTests {
    private static let texts = [
        "client-abc", "a", "../../etc/passwd", "_x", "encoded-a", "hashed-a", "custom_a", "a b", "é", "👩‍👩‍👧", "\u{0}", "NAME",
        "name",
        "-", ".", String(repeating: "x", count: 255), String(repeating: "x", count: 256),
        String(repeating: "ü/", count: 5_000), String(repeating: "ü/", count: 5_000) + "x",
    ]

    @Test("Every text has a valid CloudKit name, and no two texts share one")
    func names() {
        let names = Self.texts.map(CloudKitName.name(for:))
        #expect(Set(names).count == names.count)
        for name in names {
            #expect((1...255).contains(name.utf8.count) && !name.hasPrefix("_"))
            #expect(name.utf8.allSatisfy { (0x21...0x7E).contains($0) })
        }
    }

    @Test("A text can be read back from its name, unless the name is a hash")
    func reading() {
        for text in Self.texts where text.utf8.count < 300 {
            let name = CloudKitName.name(for: text)
            #expect(CloudKitName.recordName(from: name) == (name.hasPrefix("hashed-") ? nil : text))
        }
        #expect(CloudKitName.recordName(from: CloudKitName.name(for: Self.texts.last ?? "")) == nil)
    }

    @Test("Plain names are not changed")
    func plain() {
        for name in ["client-abc", "scenario-a.2f-b", "TelemetryClient-All"] { #expect(CloudKitName.name(for: name) == name) }
    }

    @Test("Canonically equal spellings have one name; upper and lower case have two")
    func spellings() {
        #expect(CloudKitName.name(for: "caf\u{e9}") == CloudKitName.name(for: "cafe\u{301}"))
        #expect(CloudKitName.name(for: "CAF\u{c9}") != CloudKitName.name(for: "caf\u{e9}"))
        #expect(CloudKitName.eventName(for: "caf\u{e9}") == CloudKitName.eventName(for: "cafe\u{301}"))
    }

    @Test(
        "Field names are letters, digits and underscores after a leading letter",
        arguments: [
            ("a", true), ("A_1", true), ("", false), ("1a", false), ("_a", false), ("a b", false), ("é", false), ("a.b", false),
        ])
    func identifiers(text: String, isOne: Bool) {
        #expect(CloudKitName.isIdentifier(text) == isOne)
    }

    @Test(
        "A subscription can be read back from its name",
        arguments: [
            TelemetrySubscription(id: "TelemetryScenario-All", recordType: "TelemetryScenario"),
            TelemetrySubscription(id: "TelemetryCommand-abc", recordType: "TelemetryCommand", clientId: "abc"),
            TelemetrySubscription(id: "TelemetryCommand-a-b", recordType: "TelemetryCommand", clientId: "a-b"),
            TelemetrySubscription(id: "TelemetryCommand-c/é", recordType: "TelemetryCommand", clientId: "c/é"),
            TelemetrySubscription(id: "s/☃", recordType: "Thing", clientId: "c"),
            TelemetrySubscription(id: "s/☃", recordType: "Thing"),
            TelemetrySubscription(id: "TelemetryScenario-All", recordType: "Thing"),
            TelemetrySubscription(id: "x_y_z", recordType: "A_B", clientId: "_"),
        ])
    func subscriptions(_ subscription: TelemetrySubscription) throws {
        let name = try #require(CloudKitSubscriptionName.name(for: subscription))
        #expect(CloudKitSubscriptionName.subscription(named: name) == subscription)
        #expect(CloudKitSubscriptionName.recordType(ofName: name) == subscription.recordType)
    }

    @Test("The documented names of subscriptions do not change")
    func documentedSubscriptions() {
        for id in ["TelemetryScenario-All", "TelemetryClient-All"] {
            let subscription = TelemetrySubscription(id: id, recordType: String(id.dropLast(4)))
            #expect(CloudKitSubscriptionName.name(for: subscription) == id)
        }
    }

    @Test("A subscription to the commands of a client with a long identifier is found again by its identifier, with its type")
    func longSubscription() throws {
        let client = String(repeating: "é", count: 512)
        let subscription = TelemetrySubscription(
            id: "TelemetryCommand-\(client)", recordType: "TelemetryCommand", clientId: client)
        let name = try #require(CloudKitSubscriptionName.name(for: subscription))
        #expect(name.utf8.count <= 255)
        #expect(CloudKitSubscriptionName.subscription(named: name) == nil)
        #expect(CloudKitSubscriptionName.subscription(named: name, lookingFor: subscription.id) == subscription)
        #expect(CloudKitSubscriptionName.subscription(named: name, lookingFor: "TelemetryCommand-other") == nil)
        #expect(CloudKitSubscriptionName.recordType(ofName: name) == "TelemetryCommand")
    }

    @Test("A subscription whose identifier is too long is refused")
    func refused() {
        let id = String(repeating: "x", count: 300)
        #expect(CloudKitSubscriptionName.name(for: TelemetrySubscription(id: id, recordType: "Thing")) == nil)
    }
}
