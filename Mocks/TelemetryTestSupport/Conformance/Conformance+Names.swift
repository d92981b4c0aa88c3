import TelemetryModels
import TelemetryTransport

extension TelemetryTransportConformance {
    /// Different names with characters that are special in file systems, URLs and queries.
    private static let hostileNames = [
        "../../etc/passwd", "/", ".", "..", "a/b", "a\\b", "a\u{0}b", "\u{0}", " ", "\n", "con", "CON", "name", "Name", "NAME",
        "na%6de", "name.json", "-", "--", "_", "caf\u{e9}", "CAF\u{c9}", "\u{c1}", "\u{10041}\u{301}", "👩‍👩‍👧", "👩", "\u{301}",
        "'; DROP TABLE events; --", "\"",
        "*", "$HOME",
        String(repeating: "x", count: 1_023), String(repeating: "x", count: 1_024), String(repeating: "x", count: 1_023) + "y",
    ]

    static let nameChecks = [
        Check("Any text that is not empty is a valid client identifier, and different ones are kept apart") { bench in
            let transport = bench.transport
            for (index, name) in hostileNames.enumerated() {
                try await transport.createTelemetryClient(clientId: name, isEnabled: false)
                try await transport.append([Sample.event("e\(index)", client: name)])
            }
            try await bench.expect("clients", transport.fetchTelemetryClients().count, is: hostileNames.count)
            for (index, name) in hostileNames.enumerated() {
                let found = try await transport.fetchTelemetryClients(clientId: name)
                try bench.expect("clients named \(name.debugDescription)", found.map(\.clientId), is: [name])
                let events = try await bench.identifiers(.init(clientId: name))
                try bench.expect("events of \(name.debugDescription)", events, is: ["e\(index)"])
            }
            for name in hostileNames {
                try await bench.expect("deleted of \(name.debugDescription)", transport.deleteEvents(forClient: name), is: 1)
            }
        },

        Check("Any text, also an empty or long one, is a valid name of a scenario, command, session or event") { bench in
            let transport = bench.transport
            let names = hostileNames + ["", String(repeating: "é/", count: 5_000)]
            try await transport.createScenarios(names.map { TelemetryFixtures.scenario($0, clientId: "c") })
            for name in names {
                try await transport.createCommand(TelemetryFixtures.command(.enable, commandId: name, clientId: "c"))
                try await transport.append([Sample.event("of \(name)", session: name, name: name, scenario: name)])
            }
            let scenarios = try await transport.fetchScenarios(forClient: "c")
            try bench.expect("scenarios", Set(scenarios.map(\.scenarioName)), is: Set(names))
            let commands = try await transport.fetchPendingCommands(for: "c")
            try bench.expect("commands", Set(commands.map(\.commandId)), is: Set(names))
            for name in names {
                for filter in [
                    TelemetryEventFilter(sessionId: name), .init(scenarios: [name]), .init(names: [name]),
                ] {
                    try await bench.expect("\(filter)", bench.identifiers(filter), is: ["of \(name)"])
                }
            }
        },

        Check("Identities derived from names are ASCII of at most 255 characters") { bench in
            let transport = bench.transport
            for name in hostileNames {
                let client = try await transport.createTelemetryClient(clientId: name, isEnabled: false)
                let scenario = try await transport.createScenarios([TelemetryFixtures.scenario(name, clientId: name)])
                let command = try await transport.createCommand(
                    TelemetryFixtures.command(.enable, commandId: name, clientId: name))
                for id in [client.recordID, scenario.first?.recordID, command.recordID] {
                    let text = try bench.require(id, "A stored record has no identity.").recordName
                    try bench.expect(
                        (1...255).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7e).contains($0) },
                        "\(text.debugDescription) is no ASCII name of at most 255 characters.")
                }
            }
        },

        Check("Canonically equal names are one name; upper and lower case are two") { bench in
            let transport = bench.transport
            let (composed, decomposed, upper) = ("caf\u{e9}", "cafe\u{301}", "CAF\u{c9}")
            try await transport.createTelemetryClient(clientId: composed, isEnabled: false)
            try await transport.createScenarios([TelemetryFixtures.scenario(composed, clientId: composed)])
            try await transport.createCommand(TelemetryFixtures.command(.enable, commandId: composed, clientId: composed))
            try await transport.append([Sample.event(composed, client: composed)])

            try await bench.expectError(.conflict, "the client in another spelling") {
                try await transport.createTelemetryClient(clientId: decomposed, isEnabled: false)
            }
            try await bench.expectError(.conflict, "the scenario in another spelling") {
                try await transport.createScenarios([TelemetryFixtures.scenario(decomposed, clientId: decomposed)])
            }
            try await bench.expectError(.conflict, "the command in another spelling") {
                try await transport.createCommand(TelemetryFixtures.command(.enable, commandId: decomposed, clientId: composed))
            }
            try await transport.append([Sample.event(decomposed, client: composed)])
            try await bench.expect("events", transport.countEvents(), is: 1)
            _ = try await transport.save([Sample.record(.init(recordName: composed))], policy: .insert)
            try await bench.expect(
                "the record in another spelling", transport.record(withID: .init(recordName: decomposed)) != nil, is: true)

            try await transport.createTelemetryClient(clientId: upper, isEnabled: false)
            try await transport.append([Sample.event(upper, client: upper)])
            try await bench.expect(
                "the record in another case", transport.record(withID: .init(recordName: upper)), is: nil)
            for name in [composed, decomposed] {
                try await bench.expect("clients", transport.fetchTelemetryClients(clientId: name).count, is: 1)
                try await bench.expect("scenarios", transport.fetchScenarios(forClient: name).count, is: 1)
                try await bench.expect("commands", transport.fetchPendingCommands(for: name).count, is: 1)
            }
            try await bench.expect("deleted", transport.deleteEvents(forClient: decomposed), is: 1)
            try await bench.expect("left", transport.countEvents(), is: 1)
        },

        Check("Any text that is not empty is a valid record name, and different ones are kept apart") { bench in
            let ids = (hostileNames + [String(repeating: "ü/", count: 5_000)]).map(TelemetryRecord.ID.init(recordName:))
            _ = try await bench.transport.save(ids.map { Sample.record($0, ["n": .string($0.recordName)]) }, policy: .insert)
            for id in ids {
                let record = try await bench.transport.record(withID: id)
                try bench.expect("the record \(id.recordName.debugDescription)", record?["n"], is: .string(id.recordName))
            }
            try await bench.expect("deleted", bench.transport.deleteRecords(withIDs: ids), is: ids.count)
        },
    ]
}
