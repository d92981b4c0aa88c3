import Foundation
import TelemetryCloudKit
import TelemetryModels
import TelemetryTransport
import Testing

struct CloudKitPredicateTests {
    private static let date = Date(timeIntervalSince1970: 1_000)

    @Test(
        "A filter becomes conditions on indexed fields, joined by AND",
        arguments: [
            (TelemetryEventFilter.all, "TRUEPREDICATE", 0),
            (.init(clientId: "c"), "%K == %@", 2),
            (.init(clientId: "c", sessionId: "s"), "%K == %@ AND %K == %@", 4),
            (.init(scenarios: ["b", "a"]), "%K IN %@", 2),
            (.init(since: date, until: date), "%K >= %@ AND %K < %@", 4),
        ])
    func filters(filter: TelemetryEventFilter, format: String, arguments: Int) throws {
        let predicate = try #require(CloudKitPredicate.queries(for: filter).first)
        #expect(predicate.format == format)
        #expect(predicate.arguments.count == arguments)
    }

    @Test("Every condition has its field and its value")
    func everything() throws {
        let filter = TelemetryEventFilter(
            clientId: "c", sessionId: "s", scenarios: ["b", "a"], levels: [.info, .diagnostic], names: ["n"], since: Self.date,
            until: Self.date)
        let predicate = try #require(CloudKitPredicate.queries(for: filter, created: Self.date).first)
        #expect(
            predicate.arguments == [
                .field("creationDate"), .date(Self.date), .field("clientid"), .string("c"), .field("sessionId"), .string("s"),
                .field("scenario"), .strings(["a", "b"]), .field("logLevel"), .strings(["diagnostic", "info"]),
                .field("eventName"), .strings(["n"]), .field("eventTimestamp"), .date(Self.date), .field("eventTimestamp"),
                .date(Self.date),
            ])
        for case .field(let name) in predicate.arguments where name != CloudKitPredicate.creationDate {
            #expect(TelemetrySchema.Field(rawValue: name)?.isIndexed == true)
        }
    }

    @Test(
        "A filter that matches nothing has no predicate",
        arguments: [TelemetryEventFilter(scenarios: []), .init(levels: []), .init(names: [])])
    func nothing(filter: TelemetryEventFilter) {
        #expect(CloudKitPredicate.queries(for: filter).isEmpty)
    }

    @Test(
        "Long lists are split into queries that together have every value once",
        arguments: [(75, 2, 1), (76, 2, 2), (300, 2, 4), (100, 100, 4)])
    func splitting(scenarios: Int, names: Int, queries: Int) {
        let filter = TelemetryEventFilter(
            scenarios: Set((1...scenarios).map { "s\($0)" }), levels: [.info], names: Set((1...names).map { "n\($0)" }))
        let predicates = CloudKitPredicate.queries(for: filter)
        #expect(predicates.count == queries)
        var combinations: [String] = []
        for predicate in predicates {
            let lists = predicate.arguments.compactMap { if case .strings(let values) = $0 { values } else { nil } }
            #expect(lists.allSatisfy { $0.count <= CloudKitPredicate.maximumListValues })
            #expect(lists[1] == ["info"])
            combinations += lists[0].flatMap { scenario in lists[2].map { "\(scenario) \($0)" } }
        }
        #expect(combinations.count == scenarios * names)
        #expect(Set(combinations).count == scenarios * names)
    }

    @Test("Names are compared in one normalization form")
    func spelling() {
        #expect(CloudKitPredicate.queries(for: .init(clientId: "cafe\u{301}")).first?.arguments.last == .string("caf\u{e9}"))
        let argument = CloudKitPredicate.queries(for: .init(clientId: "caf\u{e9}")).first?.arguments.last
        guard case .string(let text) = argument else {
            Issue.record("not a string")
            return
        }
        #expect(Array(text.utf8) == Array("cafe\u{301}".utf8))
    }

    @Test(
        "A query has conditions only on indexed fields of their own that a receipt cannot change",
        arguments: [
            (TelemetrySchema.clientRecordType, ["clientid": "c", "isEnabled": true], "%K == %@ AND %K == %@"),
            (TelemetrySchema.commandRecordType, ["clientid": "c", "status": "pending"], "%K == %@"),
            (TelemetrySchema.scenarioRecordType, ["clientid": "c", "created": .date(date)], "%K == %@"),
            ("Thing", ["clientid": "c", "other": 1], "%K == %@"),
            ("Thing", ["other": 1], "TRUEPREDICATE"),
            (TelemetrySchema.clientRecordType, ["clientid": 1], "TRUEPREDICATE"),
        ] as [(String, [String: TelemetryValue], String)])
    func queries(type: String, conditions: [String: TelemetryValue], format: String) {
        #expect(CloudKitPredicate(TelemetryRecordQuery(recordType: type, conditions: conditions)).format == format)
    }

    @Test("A flag is compared with the number that stores it")
    func flags() {
        let query = TelemetryRecordQuery(recordType: TelemetrySchema.clientRecordType, conditions: ["isEnabled": true])
        #expect(CloudKitPredicate(query).arguments == [.field("isEnabled"), .int(1)])
    }
}
