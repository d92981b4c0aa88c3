import TelemetryTestSupport
import TelemetryTransport
import Testing

struct ConformanceFindsFaultsTests {
    private typealias Fault = FaultyTransport.Fault

    /// The check that must find each fault, by the beginning of its name.
    private static let findings: [Fault: String] = [
        .readsNewestFirst: "Events are read in the order",
        .losesAttributes: "An event is read back with all its fields",
        .excludesSince: "A filter matches if all its conditions hold, for reading",
        .emptySetMatchesAll: "A filter matches if all its conditions hold, for deleting",
        .acceptsAnyLimit: "A limit below 1",
        .acceptsAnyClient: "A client identifier that is empty",
        .ignoresCursors: "Pages return every event once",
        .deletesAllEvents: "Deleting a client's data does not affect other clients'",
        .comparesBytes: "A filter matches canonically equal names",
        .insertOverwrites: ".insert stores new records",
        .ignoresChangeTags: ".ifUnchanged replaces only the version that was read",
        .checksThenSaves: "Concurrent updates of one record",
        .hidesServerRecord: ".ifUnchanged without a change tag",
        .hidesFailures: "If some of several saves fail",
        .foldsCase: "Any text that is not empty is a valid record name",
        .sendsNoNotifications: "Creating, changing and deleting a record notifies",
        .notifiesForEveryClient: "Changes outside a subscription",
        .throwsForeignErrors: "A limit below 1",
        .endsStreams: "An event stream returns stored events",
        .shortensBatches: "A logger's batches are stored like the events",
    ]

    @Test("A faulty transport fails the check for its fault", arguments: FaultyTransport.Fault.allCases)
    fileprivate func finds(_ fault: FaultyTransport.Fault) async throws {
        let name = try #require(Self.findings[fault])
        let check = try #require(TelemetryTransportConformance.checks.first { $0.name.hasPrefix(name) })
        let suite = TelemetryTransportConformance(patience: .milliseconds(200)) { .init(transport: FaultyTransport(fault)) }
        let failure = await #expect(throws: TelemetryTransportConformance.Failure.self) { try await suite.run(check) }
        #expect(failure?.check.name == check.name)
        #expect(failure?.message.isEmpty == false)
    }

    @Test("Every check has a unique name")
    func names() {
        let names = TelemetryTransportConformance.checks.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(names.count >= 60)
    }

    @Test("runAll() returns every failure, and none for a transport that fulfils the contract")
    func runAll() async throws {
        let failures = try await TelemetryTransportConformance(patience: .milliseconds(200)) {
            .init(transport: FaultyTransport(.insertOverwrites))
        }.runAll()
        #expect(failures.count > 3)
        let none = try await TelemetryTransportConformance { .init(transport: InMemoryTelemetryTransport()) }.runAll()
        #expect(none.map(\.description) == [])
    }

    @Test("The store is removed after a check, whether it passed or failed")
    func removes() async throws {
        for fault in [nil, FaultyTransport.Fault.acceptsAnyLimit] {
            let (removed, continuation) = AsyncStream.makeStream(of: Void.self)
            let suite = TelemetryTransportConformance {
                let transport: any TelemetryTransporting = fault.map { FaultyTransport($0) } ?? InMemoryTelemetryTransport()
                return .init(transport: transport, remove: { continuation.finish() })
            }
            let check = try #require(TelemetryTransportConformance.checks.first { $0.name.hasPrefix("A limit below 1") })
            _ = try? await suite.run(check)
            for await _ in removed {}
        }
    }
}
