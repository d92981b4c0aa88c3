import Foundation
import TelemetryHTTP
import TelemetryTestSupport
import TelemetryTransport
import Testing

@testable import TelemetryRelay

extension OverHTTP {
    struct ConformanceTests {
        @Test(
            "With a viewer token, the transport passes every check", arguments: ServedStore.allCases,
            TelemetryTransportConformance.checks)
        func viewer(store: ServedStore, check: TelemetryTransportConformance.Check) async throws {
            try await store.serve { relays in
                let token = try await relays.token(.viewer)
                let suite = TelemetryTransportConformance { try await relays.store(.viewer(token: token)) }
                #expect(try await suite.run(check) == .passed)
            }
        }

        @Test(
            "With a host token, the transport passes every check that needs only a host's permissions",
            arguments: ServedStore.allCases, TelemetryTransportConformance.checks.filter { HostLimit.of[$0.name] == nil })
        func host(store: ServedStore, check: TelemetryTransportConformance.Check) async throws {
            try await store.serve { relays in
                let token = try await relays.token(.host)
                let secrets = InMemoryTelemetrySecretStore()
                let suite = TelemetryTransportConformance {
                    // The clients that the checks use. The one that most checks use is the current one.
                    try await relays.store(.host(token: token, secrets: secrets), clients: ["a", "c", "client"])
                }
                #expect(try await suite.run(check) == .passed)
            }
        }

        @Test("The list of checks that a host cannot pass names existing checks only")
        func limits() {
            #expect(Set(HostLimit.of.keys).isSubset(of: TelemetryTransportConformance.checks.map(\.name)))
        }
    }
}

/// The reason why a host cannot pass a check.
private enum HostLimit {
    /// The check appends events of other clients or without a client.
    case otherClientsEvents
    /// The check reads or deletes data of a client that the request does not authenticate.
    case otherClientsData
    /// The check saves records other than the host's own client record and scenarios, or creates commands.
    case otherRecords
    /// The check subscribes to records of every client.
    case otherSubscriptions

    static let of: [String: Self] = [
        "An event is read back with all its fields": .otherClientsEvents,
        "A batch may have events of several clients": .otherClientsEvents,
        "A client identifier that is empty or longer than 1,024 bytes is refused": .otherClientsEvents,
        "Deleting events removes exactly those that match, and returns their number": .otherClientsEvents,
        "Deleted events cannot be read over another connection": .otherClientsData,
        "A cursor can be used with another filter": .otherClientsEvents,
        "A filtered page skips any number of events that do not match": .otherClientsEvents,
        "A filter matches if all its conditions hold, for reading and counting": .otherClientsEvents,
        "A query has the result that it has over the stored events in their order": .otherClientsEvents,
        "Random queries have the results that they have over the stored events in their order": .otherClientsEvents,
        "A query is a condition of a filter, for reading, counting and deleting": .otherClientsEvents,
        "A filter matches if all its conditions hold, for deleting": .otherClientsEvents,
        "A filter matches canonically equal names, and is case-sensitive": .otherClientsEvents,
        "An event stream begins after its cursor and applies its filter": .otherClientsData,
        "The newest events are the last ones of those read forwards": .otherClientsEvents,
        "Pages that are read backwards contain every event once": .otherClientsEvents,
        "A page before a cursor of a page forwards has the events of that page": .otherClientsEvents,
        "Counts by session, scenario, level and hour agree with the events": .otherClientsEvents,
        "A record is read back with all its fields and a change tag": .otherRecords,
        "Saved records are returned in the given order; an empty save does nothing": .otherRecords,
        "Deleting records returns the number of existing ones, and ignores missing ones": .otherRecords,
        "A query returns the records of its type that fulfil all conditions": .otherRecords,
        "A query sorts by its field in both directions; records without the field come last": .otherRecords,
        "Saves and deletions are visible over another connection at once": .otherRecords,
        ".insert stores new records and refuses existing ones": .otherRecords,
        ".overwrite replaces any version, with a new change tag": .otherRecords,
        ".ifUnchanged without a change tag stores only a new record": .otherRecords,
        ".ifUnchanged replaces only the version that was read": .otherRecords,
        ".ifUnchanged with the change tag of a deleted record throws .notFound": .otherRecords,
        "If some of several saves fail, the others are stored and .partialFailure has each failure": .otherRecords,
        "If all of several saves fail, .partialFailure has each failure; a single failure is thrown itself": .otherRecords,
        "A version that another connection has replaced is not overwritten": .otherRecords,
        "Creating a client, scenario or command twice throws .conflict and stores no duplicate": .otherClientsData,
        "Clients are fetched newest first, and by identifier and state": .otherClientsData,
        "A client's pending commands are fetched oldest first; their final status is stored": .otherRecords,
        "Deleting a client's data does not affect other clients'": .otherRecords,
        "Rules are stored once, read oldest first, changed and removed": .otherRecords,
        "Any text that is not empty is a valid client identifier, and different ones are kept apart": .otherRecords,
        "Any text, also an empty or long one, is a valid name of a scenario, command, session or event": .otherRecords,
        "Identities derived from names are ASCII of at most 255 characters": .otherRecords,
        "Canonically equal names are one name; upper and lower case are two": .otherRecords,
        "Any text that is not empty is a valid record name, and different ones are kept apart": .otherRecords,
        "Subscriptions are stored, replaced, read and removed": .otherSubscriptions,
        "The operations' subscriptions have the documented names": .otherSubscriptions,
        "Creating, changing and deleting a record notifies its subscribers": .otherSubscriptions,
        "Changes by another connection are notified": .otherSubscriptions,
        "A subscription that another connection saved causes notifications": .otherSubscriptions,
        "Changes outside a subscription are not notified": .otherRecords,
        "A removed subscription causes no notifications": .otherSubscriptions,
        "Every notification stream gets every notification": .otherSubscriptions,
        "A hundred concurrent writers lose no event, and a reader gets each event once": .otherClientsEvents,
        "A hundred concurrent writers over two connections lose no event": .otherClientsEvents,
        "Of concurrent inserts of a record exactly one succeeds": .otherRecords,
        "Of concurrent inserts of a record over two connections exactly one succeeds": .otherRecords,
        "Concurrent updates of one record are all applied": .otherRecords,
    ]
}
