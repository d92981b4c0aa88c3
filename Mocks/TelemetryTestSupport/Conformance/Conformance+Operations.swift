import Foundation
import TelemetryModels
import TelemetryTransport

extension TelemetryTransportConformance {
    static let operationChecks = [
        Check("Creating a client, scenario or command twice throws .conflict and stores no duplicate") { bench in
            let transport = bench.transport
            let client = try await transport.createTelemetryClient(clientId: "c", isEnabled: false)
            let error = try await bench.expectError(.conflict, "creating a client twice") {
                try await transport.createTelemetryClient(clientId: "c", isEnabled: true)
            }
            try bench.expect("the error's serverRecord", error.serverRecord?.recordID, is: client.recordID)
            try await bench.expect("clients", transport.fetchTelemetryClients(), is: [client])

            let scenarios = try await transport.createScenarios([
                TelemetryFixtures.scenario("A", clientId: "c"), TelemetryFixtures.scenario("A", clientId: "d"),
            ])
            try await bench.expectError(.conflict, "creating a scenario twice") {
                try await transport.createScenarios([TelemetryFixtures.scenario("A", clientId: "c", isEnabled: true)])
            }
            let partial = try await bench.expectError(.partialFailure, "creating two, of which one is there") {
                try await transport.createScenarios([
                    TelemetryFixtures.scenario("A", clientId: "c"), TelemetryFixtures.scenario("B", clientId: "c"),
                ])
            }
            try bench.expect("failures", Array(partial.failures.keys), is: scenarios.prefix(1).compactMap(\.recordID))
            try await bench.expect(
                "scenarios", transport.fetchScenarios(forClient: "c").map(\.scenarioName), is: ["A", "B"])

            let command = try await transport.createCommand(TelemetryFixtures.command(.enable, clientId: "c"))
            try await bench.expectError(.conflict, "creating a command twice") {
                try await transport.createCommand(TelemetryFixtures.command(.disable, clientId: "c"))
            }
            try await bench.expect("commands", transport.fetchPendingCommands(for: "c"), is: [command])
        },

        Check("Clients are fetched newest first, and by identifier and state") { bench in
            let transport = bench.transport
            for (index, name) in ["b", "c", "a"].enumerated() {
                try await transport.createTelemetryClient(
                    clientId: name, created: TelemetryFixtures.date.addingTimeInterval(Double(index)), isEnabled: name == "c")
            }
            func names(_ clientId: String? = nil, _ isEnabled: Bool? = nil) async throws -> [String] {
                try await transport.fetchTelemetryClients(clientId: clientId, isEnabled: isEnabled).map(\.clientId)
            }
            try await bench.expect("all", names(), is: ["a", "c", "b"])
            try await bench.expect("enabled", names(nil, true), is: ["c"])
            try await bench.expect("not enabled", names(nil, false), is: ["a", "b"])
            try await bench.expect("by identifier", names("b"), is: ["b"])
            try await bench.expect("by both", names("b", true), is: [])
        },

        Check("An update changes the given fields, keeps unknown ones, and needs a stored record") { bench in
            let transport = bench.transport
            var client = try await transport.createTelemetryClient(TelemetryFixtures.client("c"))
            let id = try bench.require(client.recordID, "A created client has no record identifier.")
            var record = try await bench.require(transport.record(withID: id), "A created client is not stored.")
            record["fromTheFuture"] = "kept"
            _ = try await transport.save([record], policy: .ifUnchanged)

            client = try await transport.updateTelemetryClient(recordID: id, isEnabled: true)
            try bench.expect("isEnabled", client.isEnabled, is: true)
            try bench.expect("created", client.created, is: TelemetryFixtures.date)
            client.isEnabled = false
            try await transport.updateTelemetryClient(client)
            record = try await bench.require(transport.record(withID: id), "An updated client is not stored.")
            try bench.expect("the unknown field", record["fromTheFuture"], is: "kept")
            try bench.expect("isEnabled", record["isEnabled"], is: false)

            try await bench.expectError(.notFound, "updating a client that is not there") {
                try await transport.updateTelemetryClient(recordID: "nobody", isEnabled: true)
            }
            try await bench.expectError(.notFound, "updating a scenario that is not there") {
                try await transport.updateScenario(
                    TelemetryScenarioRecord(recordID: "nothing", clientId: "c", scenarioName: "A", isEnabled: true))
            }
            try await bench.expectError(.notFound, "updating a command that is not there") {
                try await transport.updateCommandStatus(recordID: "nothing", status: .executed)
            }
        },

        Check("A client's pending commands are fetched oldest first; their final status is stored") { bench in
            let transport = bench.transport
            for (id, age) in [("middle", 2.0), ("newest", 1), ("oldest", 3)] {
                try await transport.createCommand(TelemetryFixtures.command(.enable, commandId: id, clientId: "c", age: age))
            }
            try await transport.createCommand(TelemetryFixtures.command(.enable, commandId: "other", clientId: "d"))
            let pending = try await transport.fetchPendingCommands(for: "c")
            try bench.expect("pending", pending.map(\.commandId), is: ["oldest", "middle", "newest"])
            let id = try bench.require(pending[0].recordID, "A stored command has no record identifier.")
            let executed = try await transport.updateCommandStatus(
                recordID: id, status: .executed, executedAt: TelemetryFixtures.date)
            try bench.expect("status", executed.status, is: .executed)
            try bench.expect("executedAt", executed.executedAt, is: TelemetryFixtures.date)
            try await bench.expect("fetched", transport.fetchCommand(recordID: id), is: executed)
            try await bench.expect(
                "pending", transport.fetchPendingCommands(for: "c").map(\.commandId), is: ["middle", "newest"])
            try await transport.deleteCommand(recordID: id)
            try await bench.expect("deleted", transport.fetchCommand(recordID: id), is: nil)
            try await bench.expect("deleted, all of c", transport.deleteAllCommands(for: "c"), is: 2)
            try await bench.expect("of d", transport.fetchPendingCommands(for: "d").map(\.commandId), is: ["other"])
        },

        Check("Rules are stored once, read oldest first, changed and removed") { bench in
            let transport = bench.transport
            let condition = TelemetryRuleCondition("appVersion", .atLeast, ["2.1"])
            for (id, scenario, age) in [("new", "A", 1.0), ("old", "A", 2), ("other", "B", 3)] {
                try await transport.createRule(
                    TelemetryRuleRecord(
                        ruleId: id, scenarioName: scenario, conditions: [condition], percentage: 12.5,
                        created: TelemetryFixtures.date - age))
            }
            try await bench.expectError(.conflict, "creating a rule twice") {
                try await transport.createRule(TelemetryRuleRecord(ruleId: "old", scenarioName: "A"))
            }
            try await bench.expect("rules", transport.fetchRules().map(\.ruleId), is: ["other", "old", "new"])
            var rule = try await bench.require(
                transport.fetchRules(forScenario: "A").first, "A stored rule is not found by its scenario.")
            try bench.expect("ruleId", rule.ruleId, is: "old")
            try bench.expect("conditions", rule.conditions, is: [condition])
            try bench.expect("percentage", rule.percentage, is: 12.5)
            rule.percentage = 50
            try await bench.expect("changed", transport.updateRule(rule).percentage, is: 50)
            let id = try bench.require(rule.recordID, "A stored rule has no record identifier.")
            try await transport.deleteRule(recordID: id)
            try await bench.expect("left", transport.fetchRules().map(\.ruleId), is: ["other", "new"])
        },

        Check("Deleting a client's data does not affect other clients'") { bench in
            let transport = bench.transport
            let others = ["clien", "client2", "Client", "client/", "client-"]
            for name in ["client"] + others {
                try await transport.createTelemetryClient(clientId: name, isEnabled: false)
                try await transport.createScenarios([TelemetryFixtures.scenario("A", clientId: name)])
                try await transport.createCommand(
                    TelemetryFixtures.command(.enable, commandId: "of \(name)", clientId: name))
                try await transport.append([Sample.event("of \(name)", client: name)])
            }
            try await bench.expect("events", transport.deleteEvents(forClient: "client"), is: 1)
            try await bench.expect("scenarios", transport.deleteScenarios(forClient: "client"), is: 1)
            try await bench.expect("commands", transport.deleteAllCommands(for: "client"), is: 1)
            try await bench.expect("its scenarios", transport.fetchScenarios(forClient: "client"), is: [])
            for name in others {
                try await bench.expect("scenarios of \(name)", transport.fetchScenarios(forClient: name).count, is: 1)
                try await bench.expect("commands of \(name)", transport.fetchPendingCommands(for: name).count, is: 1)
                try await bench.expect(
                    "events of \(name)", transport.countEvents(matching: .init(clientId: name)), is: 1)
            }
            try await bench.expect("clients", transport.fetchTelemetryClients().count, is: 6)
        },

        Check("The operations refuse a client identifier that is empty or longer than 1,024 bytes") { bench in
            let transport = bench.transport
            for name in ["", String(repeating: "x", count: 1_025)] {
                let operations: [(String, () async throws -> Void)] = [
                    ("createTelemetryClient", { try await transport.createTelemetryClient(clientId: name, isEnabled: true) }),
                    ("createScenarios", { try await transport.createScenarios([TelemetryFixtures.scenario(clientId: name)]) }),
                    ("createCommand", { try await transport.createCommand(TelemetryFixtures.command(.enable, clientId: name)) }),
                    ("createCommandSubscription", { try await transport.createCommandSubscription(for: name) }),
                    ("deleteScenarios", { try await transport.deleteScenarios(forClient: name) }),
                    ("deleteAllCommands", { try await transport.deleteAllCommands(for: name) }),
                    ("deleteEvents", { try await transport.deleteEvents(forClient: name) }),
                ]
                for (operation, body) in operations {
                    try await bench.expectError(.invalidArgument, "\(operation) with \(name.utf8.count) bytes", body)
                }
            }
            try await bench.expect("clients", transport.fetchTelemetryClients(), is: [])
        },
    ]
}
