import Foundation
import HTTPTypes
@_spi(Tooling) import TelemetryTestKit
import Testing

@testable import TelemetryRelay

/// Random requests of tokens with all roles and scopes, compared with a model that knows nothing of the relay's code.
struct ScopeModelTests {
    /// Overridden by the environment variable `SCOPE_REQUESTS`.
    private static let requests = ProcessInfo.processInfo.environment["SCOPE_REQUESTS"].flatMap(Int.init) ?? 1_500

    @Test("Every answer to every role and scope is what the model says", arguments: [1, 2])
    func stories(seed: UInt64) async throws {
        var configuration = RelayConfiguration()
        configuration.rates.token = 0
        configuration.rates.client = 0
        configuration.limits.ownRecords = 100
        try await RelayBench.run(configuration: configuration) { relay async throws -> Void in
            var story = try await Story(relay, SeededGenerator(seed: seed))
            for _ in 0..<Self.requests {
                try await story.step()
                if story.differences > 10 { break }
            }
        }
    }

    /// A token, its role, and its limits as on the command line.
    private struct Token {
        let caller: TestCaller
        let role: RelayRole
        var apps: [String] = []
        var scenarios: [String] = []
        var clients: [String] = []
        /// A host's own identifier.
        var host: String?

        var isWhole: Bool { apps.isEmpty && scenarios.isEmpty && clients.isEmpty }
        var mayWrite: Bool { role == .host || role == .viewer }
    }

    private struct Event {
        let id: String
        let client, scenario: String?
    }

    private struct Record {
        let type: String
        let client, scenario, app: String?
        var action: String?
        var hasTrigger = false
    }

    private struct Story {
        private static let clientNames = ["web-1", "web-2", "ios-1", "ios-22", "tv"]
        private static let scenarioNames = ["Net", "NetSlow", "Pay", "Payment"]
        private static let apps = ["com.example.shop", "com.example.bank", "org.tool"]
        private static let types = ["TelemetryClient", "TelemetryScenario", "TelemetryCommand", "TelemetryRule", "Other"]
        private static let actions = ["enable", "enableScenario", "captureScenario", "pause", "delete_events", "unknown"]

        private let relay: RelayBench
        private var random: SeededGenerator
        private var tokens: [Token] = []
        private var events: [Event] = []
        private var records: [String: Record] = [:]
        private var next = 0
        private(set) var differences = 0

        init(_ relay: RelayBench, _ random: SeededGenerator) async throws {
            (self.relay, self.random) = (relay, random)
            let scopes: [([String], [String], [String])] = [
                ([], [], []), (["com.example.*"], [], []), (["*.shop", "org.tool"], [], []), ([], ["Net*"], []),
                ([], ["Pay", "Net"], []), ([], [], ["web-*"]), ([], [], ["*1", "tv"]), (["com.*"], ["Net"], []),
                (["*"], ["*ow", "Pay*"], ["*-*"]), ([], ["*"], ["*"]), (["none"], [], []), ([], ["net*"], ["WEB-*"]),
            ]
            let names = RelayTokens(storage: relay.storage.tokens)
            for (number, scope) in scopes.enumerated() {
                for role in [RelayRole.viewer, .reader] {
                    let text = try await names.create(
                        role: role, name: "\(role)-\(number)",
                        scope: RelayScope(apps: scope.0, scenarios: scope.1, clients: scope.2))
                    var token = Token(caller: .bearing(text), role: role)
                    (token.apps, token.scenarios, token.clients) = scope
                    tokens.append(token)
                }
            }
            let text = try await names.create(role: .host, name: "host")
            for client in Self.clientNames.prefix(3) {
                tokens.append(Token(caller: .host(client, token: text), role: .host, host: client))
            }
            tokens.append(Token(caller: .bearing(try await names.create(role: .auditor, name: "auditor")), role: .auditor))
        }

        // MARK: The model

        /// Whether a name matches a pattern, by all ways to divide it.
        private static func matches(_ pattern: Substring, _ name: Substring) -> Bool {
            guard let first = pattern.first else { return name.isEmpty }
            if first != "*" { return name.first == first && matches(pattern.dropFirst(), name.dropFirst()) }
            return matches(pattern.dropFirst(), name) || (!name.isEmpty && matches(pattern, name.dropFirst()))
        }

        private static func admits(_ patterns: [String], _ name: String?) -> Bool {
            patterns.isEmpty || name.map { name in patterns.contains { matches($0[...], name[...]) } } ?? false
        }

        private func sees(client: String?, _ token: Token) -> Bool {
            if let host = token.host { return client == host }
            guard Self.admits(token.clients, client) else { return false }
            return token.apps.isEmpty
                || records.values.contains {
                    $0.type == Self.types[0] && $0.client == client && client != nil && Self.admits(token.apps, $0.app)
                }
        }

        private func sees(_ event: Event, _ token: Token) -> Bool {
            sees(client: event.client, token) && Self.admits(token.scenarios, event.scenario)
        }

        private func sees(_ record: Record, _ token: Token) -> Bool {
            if let host = token.host { return record.client == host || (record.type == "TelemetryRule" && record.client == nil) }
            guard sees(client: record.client, token) else { return false }
            if record.type == Self.types[0] { return Self.admits(token.apps, record.app) }
            if token.scenarios.isEmpty { return true }
            if record.type == "TelemetryCommand", record.action == "enable" { return true }
            if record.type == "TelemetryCommand", !["enableScenario", "captureScenario"].contains(record.action) { return false }
            return !record.hasTrigger && Self.admits(token.scenarios, record.scenario)
        }

        // MARK: Requests

        mutating func step() async throws {
            let token = tokens[Int.random(in: 0..<tokens.count, using: &random)]
            switch Int.random(in: 0..<15, using: &random) {
            case 0: try await append(token)
            case 1, 2: try await read(token)
            case 3: try await count(token)
            case 13: try await sizes(token)
            case 4: try await query(token)
            case 5: if Int.random(in: 0..<4, using: &random) == 0 { try await deleteEvents(token) }
            case 6, 7: try await save(token)
            // Whoever sees everything changes what the others see.
            case 8: try await save(tokens[0])
            case 9: try await append(tokens[0])
            case 10: try await readRecord(token)
            case 11, 12: try await readRecords(token)
            default: try await deleteRecords(token)
            }
            if Int.random(in: 0..<40, using: &random) == 0 { try await readWhole(token) }
        }

        private mutating func expect(_ isEqual: Bool, _ what: String, _ token: Token) {
            if !isEqual { differences += 1 }
            let scope = "\(token.apps) \(token.scenarios) \(token.clients)"
            #expect(isEqual, "\(what), \(token.role) \(token.host ?? scope)")
        }

        private mutating func pick(_ names: [String]) -> String? {
            Int.random(in: 0..<5, using: &random) == 0 ? nil : names.randomElement(using: &random)
        }

        private mutating func append(_ token: Token) async throws {
            let batch = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                next += 1
                return Event(id: "e\(next)", client: pick(Self.clientNames), scenario: pick(Self.scenarioNames))
            }
            let texts = batch.map { event in
                WireSample.event(
                    event.id, client: event.client, more: event.scenario.map { #","scenario":"\#($0)""# } ?? "")
            }
            let body = #"{"events":[\#(texts.joined(separator: ","))]}"#
            let status = try await relay.post("/v1/events", body, as: token.caller).status.code
            let isAllowed = token.mayWrite && (token.isWhole || token.role == .host) && batch.allSatisfy { sees($0, token) }
            if isAllowed { events += batch }
            expect(status == (isAllowed ? 200 : 403), "append: \(status)", token)
        }

        /// Parameters, and the visible events that match them.
        private mutating func filter(_ token: Token) -> (query: String, events: [Event]) {
            let client = Bool.random(using: &random) ? pick(Self.clientNames) : nil
            let scenario = Bool.random(using: &random) ? pick(Self.scenarioNames) : nil
            let found = events.filter {
                (client == nil || $0.client == client) && (scenario == nil || $0.scenario == scenario) && sees($0, token)
            }
            let query = [client.map { "client=\($0)" }, scenario.map { "scenario=\($0)" }].compactMap(\.self)
            return (query.joined(separator: "&"), found)
        }

        private mutating func read(_ token: Token) async throws {
            let (query, found) = filter(token)
            let limit = Int.random(in: 1...40, using: &random)
            let isDescending = Bool.random(using: &random)
            let order = isDescending ? "desc" : "asc"
            let answer = try await relay.get("/v1/events?\(query)&limit=\(limit)&order=\(order)", as: token.caller)
            guard token.role != .auditor else { return expect(answer.status == .forbidden, "read", token) }
            let expected = (isDescending ? found.reversed() : found).map(\.id)
            let ids = answer.list.compactMap { $0["eventId"] as? String }
            expect(ids == Array(expected.prefix(limit)), "read \(query): \(ids) for \(expected)", token)
            expect(answer["hasMore"] as? Bool == (expected.count > limit) && answer["skipped"] as? Int == 0, "has more", token)
        }

        private mutating func count(_ token: Token) async throws {
            let (query, found) = filter(token)
            let answer = try await relay.get("/v1/events/count?\(query)", as: token.caller)
            expect(answer["count"] as? Int == (token.role == .auditor ? nil : found.count), "count \(query)", token)
        }

        private mutating func query(_ token: Token) async throws {
            let (_, found) = filter(token)
            let all = events.filter { sees($0, token) }
            let body = #"{"query":"| stats count() by scenario"}"#
            let answer = try await relay.post("/v1/query", body, as: token.caller)
            guard token.role != .auditor else { return expect(answer.status == .forbidden, "query", token) }
            let rows = (answer["rows"] as? [[Any]] ?? []).map { "\($0[0] as? String ?? "-") \($0[1])" }
            let counts = Dictionary(grouping: all) { $0.scenario ?? "-" }.map { "\($0.key) \($0.value.count)" }
            expect(Set(rows) == Set(counts) && rows.count == counts.count, "query: \(rows) for \(counts)", token)
            let name = found.first?.client ?? "web-1"
            let events = try await relay.post("/v1/query", #"{"query":"client:=\"\#(name)\"","limit":1}"#, as: token.caller)
            expect(events["matched"] as? Int == all.count { $0.client == name }, "query of a client", token)
        }

        private mutating func sizes(_ token: Token) async throws {
            let answer = try await relay.get("/v1/events/scenarios", as: token.caller)
            guard [.viewer, .reader].contains(token.role), token.isWhole else {
                return expect(answer.status == .forbidden, "sizes", token)
            }
            let rows = (answer["scenarios"] as? [[String: Any]] ?? []).map { size in
                "\(size["scenario"] as? String ?? "-") \(size["events"] as? Int ?? 0)"
            }
            let counts = Dictionary(grouping: events.filter { sees($0, token) }) { $0.scenario ?? "-" }
            let expected = counts.map { "\($0.key) \($0.value.count)" }
            expect(rows.sorted() == expected.sorted(), "sizes: \(rows) for \(expected)", token)
        }

        private mutating func deleteEvents(_ token: Token) async throws {
            let (query, found) = filter(token)
            let answer = try await relay.send(.delete, "/v1/events?\(query.isEmpty ? "all=true" : query)", as: token.caller)
            guard token.mayWrite else { return expect(answer.status == .forbidden, "delete", token) }
            let ids = Set(found.map(\.id))
            events.removeAll { ids.contains($0.id) }
            expect(answer["deleted"] as? Int == found.count, "delete \(query)", token)
        }

        private mutating func save(_ token: Token) async throws {
            let type = Self.types.randomElement(using: &random) ?? ""
            let name = "r\(Int.random(in: 0..<40, using: &random))"
            var record = Record(
                type: type, client: pick(Self.clientNames), scenario: pick(Self.scenarioNames), app: pick(Self.apps))
            if type == "TelemetryCommand" { record.action = Self.actions.randomElement(using: &random) }
            if type == "TelemetryRule" { record.hasTrigger = Bool.random(using: &random) }
            let fields = [
                record.scenario.map { #","scenarioName":"\#($0)""# }, record.app.map { #","app":"\#($0)""# },
                record.action.map { #","action":"\#($0)""# }, record.hasTrigger ? #","trigger":"{}""# : nil,
            ].compactMap(\.self).joined()
            let text = WireSample.record(name, type: type, client: record.client, more: fields)
            let status = try await relay.post("/v1/records", WireSample.save("overwrite", text), as: token.caller).status.code
            var isAllowed = token.mayWrite && sees(record, token) && records[name].map { sees($0, token) } ?? true
            if !token.isWhole, type == Self.types[0] || records[name]?.type == Self.types[0] {
                // What decides on scopes stays; with a limit to scenarios, everything does.
                let stored = records[name]
                let isKept = stored?.type == type && stored?.client == record.client && stored?.app == record.app
                isAllowed = isAllowed && isKept && (token.scenarios.isEmpty || stored?.scenario == record.scenario)
            }
            if let host = token.host {
                let isOwn = record.client == host && records[name].map { $0.client == host && $0.type == type } ?? true
                // A host makes no commands, and changes only how they ended.
                isAllowed = isOwn && ["TelemetryClient", "TelemetryScenario"].contains(type)
                if type == "TelemetryCommand", status == 200 { return }
            }
            if isAllowed { records[name] = record }
            expect(status == (isAllowed ? 200 : 403), "save \(name) \(record): \(status)", token)
        }

        private mutating func readRecord(_ token: Token) async throws {
            let name = "r\(Int.random(in: 0..<40, using: &random))"
            let status = try await relay.get("/v1/records/\(name)", as: token.caller).status.code
            let isSeen = records[name].map { sees($0, token) } ?? false
            expect(status == (token.role == .auditor ? 403 : isSeen ? 200 : 404), "record \(name): \(status)", token)
        }

        private mutating func readRecords(_ token: Token) async throws {
            let type = Self.types.randomElement(using: &random) ?? ""
            let client = Bool.random(using: &random) ? pick(Self.clientNames) : nil
            let condition = client.map { #","conditions":{"clientid":"\#($0)"}"# } ?? ""
            let answer = try await relay.post("/v1/records/query", #"{"recordType":"\#(type)"\#(condition)}"#, as: token.caller)
            guard token.role != .auditor else { return expect(answer.status == .forbidden, "records", token) }
            let expected = records.filter {
                $0.value.type == type && (client == nil || $0.value.client == client) && sees($0.value, token)
            }
            let names = answer.records.compactMap { $0["recordName"] as? String }
            expect(names.sorted() == expected.keys.sorted(), "records \(type): \(names) for \(expected.keys.sorted())", token)
        }

        private mutating func deleteRecords(_ token: Token) async throws {
            let names = (0..<2).map { _ in "r\(Int.random(in: 0..<40, using: &random))" }
            let body = #"{"recordNames":["\#(names[0])","\#(names[1])"]}"#
            let answer = try await relay.post("/v1/records/delete", body, as: token.caller)
            guard token.mayWrite else { return expect(answer.status == .forbidden, "delete records", token) }
            let deleted = Set(names).filter { name in
                records[name].map { record in
                    if let host = token.host { return record.client == host }
                    return sees(record, token) && (token.scenarios.isEmpty || record.type != Self.types[0])
                } ?? false
            }
            for name in deleted { records[name] = nil }
            expect(answer["deleted"] as? Int == deleted.count, "delete records \(names)", token)
        }

        /// What concerns the whole relay.
        private mutating func readWhole(_ token: Token) async throws {
            for (path, roles) in [
                ("/v1/audit?limit=1", [.viewer, .auditor]), ("/metrics", [.viewer, .reader]),
                ("/debug/logs", [.viewer, .reader]),
            ] as [(String, [RelayRole])] {
                let status = try await relay.get(path, as: token.caller).status.code
                expect(status == (roles.contains(token.role) && token.isWhole ? 200 : 403), "\(path): \(status)", token)
            }
        }
    }
}
