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
        "An event is read back whole": .otherClientsEvents,
        "A client identifier that is empty or longer than 1,024 bytes is refused": .otherClientsEvents,
        "Deleting events removes those that match, counts them, and touches no others": .otherClientsEvents,
        "What one connection has deleted the other does not see again": .otherClientsData,
        "A cursor may be used with another filter than the one that it came from": .otherClientsEvents,
        "A filtered page passes over what does not match, however much that is": .otherClientsEvents,
        "A filter's every condition must hold, for reading and counting": .otherClientsEvents,
        "A filter's every condition must hold, for deleting": .otherClientsEvents,
        "A filter finds a name in each spelling that Swift calls equal, and in no other case": .otherClientsEvents,
        "An event stream begins after a cursor and keeps to its filter": .otherClientsData,
        "A record is read back whole, with a change tag": .otherRecords,
        "Saving several returns them in the order given; saving none does nothing": .otherRecords,
        "Deleting records counts those that were there, and is no error for others": .otherRecords,
        "A query finds the records of its type that fulfil every condition": .otherRecords,
        "A query sorts by its field, either way; records without the field come last": .otherRecords,
        "What one connection has saved or deleted the other sees at once": .otherRecords,
        ".insert stores what is new and refuses what is there": .otherRecords,
        ".overwrite stores over anything, with a new change tag": .otherRecords,
        ".ifUnchanged without a change tag expects that none is stored": .otherRecords,
        ".ifUnchanged replaces the version that was read, and no other": .otherRecords,
        ".ifUnchanged with the tag of a record that is gone is .notFound": .otherRecords,
        "Where some of several fail, the others are saved and .partialFailure tells which failed and why": .otherRecords,
        "Where all of several fail, .partialFailure tells so; a single failure is thrown as itself": .otherRecords,
        "A version that another connection has replaced is not replaced unseen": .otherRecords,
        "Creating the same client, scenario or command twice is .conflict, and never a duplicate": .otherClientsData,
        "Clients are fetched newest first, and by identifier and state": .otherClientsData,
        "Pending commands are the client's own, oldest first; their end is stored": .otherRecords,
        "Deleting a client's things touches nobody else's": .otherRecords,
        "Rules are stored once, read oldest first, changed and removed": .otherRecords,
        "Any text that is not empty is a client's name, and names do not meet each other": .otherRecords,
        "Any text is a scenario's name, a command's, a session's, an event's, also the empty one or a long one": .otherRecords,
        "Identities that follow from names are ASCII of at most 255 characters": .otherRecords,
        "Two spellings that Swift calls equal are one name; upper and lower case are two": .otherRecords,
        "Any text that is not empty is a record's name, and names do not meet each other": .otherRecords,
        "Subscriptions are stored, replaced, read and removed": .otherSubscriptions,
        "The operations' subscriptions have the names that were agreed": .otherSubscriptions,
        "Creating, changing and removing a record is told to whoever subscribed": .otherSubscriptions,
        "Changes by another connection are told": .otherSubscriptions,
        "A subscription that another connection saved is told of here": .otherSubscriptions,
        "Changes that a subscription does not cover are not told": .otherRecords,
        "Nothing is told for a subscription that was removed": .otherSubscriptions,
        "Every stream of notifications hears everything": .otherSubscriptions,
        "A hundred concurrent writers lose nothing, and a reader sees each event once": .otherClientsEvents,
        "A hundred concurrent writers over two connections lose nothing": .otherClientsEvents,
        "Of many who insert the same record at once, exactly one succeeds": .otherRecords,
        "Of many over two connections who insert the same record at once, exactly one succeeds": .otherRecords,
        "Concurrent updates of one record are all applied": .otherRecords,
    ]
}
