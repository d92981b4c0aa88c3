import Foundation
import Synchronization
@_spi(Tooling) import TelemetryTestSupport

/// A small relay on the loopback interface: it keeps records and events in memory, and executes commands immediately.
final class ScriptedRelay: Sendable {
    private let server: LoopbackServer
    private let contents: Contents

    /// - Parameters:
    ///   - role: The role of every token.
    ///   - token: The only token that is accepted; nil for a relay without tokens.
    init(role: String = "viewer", token: String? = nil) throws {
        let contents = Contents(role: role, token: token)
        self.contents = contents
        server = try LoopbackServer { contents.answer($0) }
    }

    var url: String { server.baseURL.absoluteString }
    var requests: [LoopbackRequest] { server.requests }
    var eventNames: [String] { contents.eventNames }
    func stop() { server.stop() }

    func addClient(_ clientId: String, isEnabled: Bool) {
        contents.add(
            "TelemetryClient", "client-\(clientId)",
            ["clientid": clientId, "isEnabled": isEnabled, "created": ["date": "2026-11-21T03:00:00Z"]])
    }

    /// - Parameter end: When the scenario, which is then enabled, is disabled automatically.
    func addScenario(_ name: String, of clientId: String, end: String? = nil) {
        var fields: [String: Any] = [
            "clientid": clientId, "scenarioName": name, "isEnabled": end != nil, "created": ["date": "2026-11-21T03:00:00Z"],
        ]
        if let end { fields["expires"] = ["date": end] }
        contents.add("TelemetryScenario", "scenario-\(clientId)-\(name)", fields)
    }

    func addPendingCommand(_ commandId: String, to clientId: String) {
        contents.add(
            "TelemetryCommand", "command-\(commandId)",
            [
                "commandId": commandId, "clientid": clientId, "action": "pause", "status": "pending",
                "created": ["date": "2026-11-21T03:00:00Z"],
            ])
    }

    /// Adds events with these names.
    func addEvents(_ names: String..., client: String = "k7wq", scenario: String? = nil) {
        for name in names {
            var event: [String: Any] = [
                "eventId": UUID().uuidString, "eventName": name, "eventTimestamp": "2026-11-21T03:00:00.123Z", "sessionId": "s",
                "sequence": 1, "clientid": client,
            ]
            event["scenario"] = scenario
            contents.add(event: event)
        }
    }

    /// Refuses requests with this path whose bodies contain the text, after the first one of them.
    func refuseAfterFirst(_ path: String, containing text: String, status: Int, code: String) {
        contents.refuse(.init(path: path, text: text, status: status, code: code))
    }

    /// While this is set, the relay does not answer requests for events that have a cursor.
    func interruptReaders(_ isInterrupted: Bool) { contents.interrupt(isInterrupted) }
}

/// The relay's records and events, as encoded JSON objects.
private final class Contents: Sendable {
    struct Refusal {
        let path: String
        let text: String
        let status: Int
        let code: String
        var isDue = false
    }

    private struct State {
        var records: [Data] = []
        var refusal: Refusal?
        var events: [Data] = []
        var isInterrupted = false
    }

    private let role: String
    private let token: String?
    private let state = Mutex(State())

    init(role: String, token: String?) {
        self.role = role
        self.token = token
    }

    var eventNames: [String] { state.withLock(\.events).compactMap { Self.object($0)["eventName"] as? String } }

    func add(_ type: String, _ name: String, _ fields: [String: Any]) {
        let record = Self.bytes(["recordType": type, "recordName": name, "changeTag": "1", "fields": fields])
        state.withLock { $0.records.append(record) }
    }

    func add(event: [String: Any]) {
        let event = Self.bytes(event)
        state.withLock { $0.events.append(event) }
    }

    func interrupt(_ isInterrupted: Bool) { state.withLock { $0.isInterrupted = isInterrupted } }

    func refuse(_ refusal: Refusal) { state.withLock { $0.refusal = refusal } }

    private func refusal(of request: LoopbackRequest) -> LoopbackServer.Behaviour? {
        let refusal = state.withLock { state -> Refusal? in
            guard let refusal = state.refusal, request.path == refusal.path,
                String(decoding: request.body, as: UTF8.self).contains(refusal.text)
            else { return nil }
            state.refusal?.isDue = true
            return refusal.isDue ? refusal : nil
        }
        return refusal.map { problem($0.status, $0.code, "Try again later.") }
    }

    func answer(_ request: LoopbackRequest) -> LoopbackServer.Behaviour {
        if let token, request.path != "/readyz", request.header("Authorization") != "Bearer \(token)" {
            return problem(401, "unauthorized", "There is no such token.")
        }
        let isChange = request.method != "GET" && !request.path.hasSuffix("/query")
        if role == "reader", isChange { return problem(403, "unauthorized", "A reader changes nothing.") }
        if let refusal = refusal(of: request) { return refusal }
        switch (request.method, request.path) {
        case ("GET", "/v1/server"): return server()
        case ("GET", "/readyz"): return .answers(200)
        case ("PUT", _): return .answers(204)
        case ("GET", "/v1/notifications"): return .streams(ready())
        case ("POST", "/v1/records/query"): return query(Self.object(request.body))
        case ("POST", "/v1/records/delete"): return delete(Self.object(request.body))
        case ("POST", "/v1/records"): return save(Self.object(request.body))
        case ("GET", let path) where path.hasPrefix("/v1/records/"): return record(path.split(separator: "/").last)
        case ("GET", "/v1/events/count"): return json(["count": eventNames.count])
        case ("GET", "/v1/events/scenarios"):
            let sizes: [[String: Any]] = [
                ["scenario": "FileRead", "events": 3, "bytes": 1_300_000, "lastExpires": "2026-11-22T03:00:00.000Z"],
                ["scenario": NSNull(), "events": 2, "bytes": 700],
            ]
            return json(["scenarios": sizes])
        case ("GET", "/v1/events"): return events(request)
        case ("POST", "/v1/events"): return append(Self.object(request.body))
        default: return problem(404, "notFound", "There is no such route.")
        }
    }

    private func server() -> LoopbackServer.Behaviour {
        json([
            "name": "telemetry-relay", "version": "9.9", "api": 1, "role": role, "time": Date().formatted(.iso8601),
            "limits": ["bodyBytes": 4_194_304, "batchEvents": 5_000, "saveRecords": 400, "page": 1_000, "waitSeconds": 60],
            "retention": [["scenario": "File*", "age": 86_400, "bytes": 100 << 20]],
            "defaultRetention": ["age": 2_592_000, "bytes": 2 << 30, "events": 1_000_000],
        ])
    }

    private func ready() -> LoopbackStream {
        let stream = LoopbackStream()
        stream.send("event: ready\nid: 1\ndata: {}\n\n")
        stream.end()
        return stream
    }

    private func delete(_ body: [String: Any]) -> LoopbackServer.Behaviour {
        let names = Set(body["recordNames"] as? [String] ?? [])
        let count = state.withLock { state in
            let before = state.records.count
            state.records.removeAll { names.contains(Self.object($0)["recordName"] as? String ?? "") }
            return before - state.records.count
        }
        return json(["deleted": count])
    }

    private func query(_ body: [String: Any]) -> LoopbackServer.Behaviour {
        let conditions = body["conditions"] as? [String: Any] ?? [:]
        let found = state.withLock(\.records).map(Self.object).filter { record in
            let fields = record["fields"] as? [String: Any] ?? [:]
            return record["recordType"] as? String == body["recordType"] as? String
                && conditions.allSatisfy { "\(fields[$0.key] ?? "")" == "\($0.value)" }
        }
        return json(["records": found])
    }

    private func save(_ body: [String: Any]) -> LoopbackServer.Behaviour {
        let saved = (body["records"] as? [[String: Any]] ?? []).map { $0.merging(["changeTag": "1"]) { $1 } }
        for record in saved {
            var fields = record["fields"] as? [String: Any] ?? [:]
            if record["recordType"] as? String == "TelemetryCommand" { fields["status"] = "executed" }
            add(record["recordType"] as? String ?? "", record["recordName"] as? String ?? "", fields)
        }
        return json(["records": saved])
    }

    private func record(_ name: Substring?) -> LoopbackServer.Behaviour {
        let name = name?.removingPercentEncoding
        let found = state.withLock(\.records).map(Self.object).first { $0["recordName"] as? String == name }
        return found.map(json) ?? problem(404, "notFound", "There is no such record.")
    }

    private func events(_ request: LoopbackRequest) -> LoopbackServer.Behaviour {
        let items = URLComponents(string: request.target)?.queryItems ?? []
        let after = items.first { $0.name == "after" }?.value
        let (stored, isInterrupted) = state.withLock { ($0.events, $0.isInterrupted) }
        if after != nil, isInterrupted { return .hangsUp }
        guard let start = Int(after ?? "0") else { return problem(400, "invalidArgument", "The cursor is not valid.") }
        if items.contains(where: { $0.name == "wait" }), start >= stored.count { return .hangsUp }
        return json([
            "events": stored.dropFirst(start).map(Self.object), "cursor": String(stored.count), "hasMore": false, "skipped": 0,
        ])
    }

    private func append(_ body: [String: Any]) -> LoopbackServer.Behaviour {
        let context = body["context"] as? [String: Any] ?? [:]
        let events = body["events"] as? [[String: Any]] ?? []
        for event in events { add(event: event.merging(context) { own, _ in own }) }
        return json(["stored": events.count, "duplicates": 0])
    }

    private func json(_ object: [String: Any]) -> LoopbackServer.Behaviour {
        .answers(
            200, headers: ["Content-Type": "application/json"], body: String(decoding: Self.bytes(object), as: UTF8.self))
    }

    private func problem(_ status: Int, _ code: String, _ detail: String) -> LoopbackServer.Behaviour {
        .answers(
            status, headers: ["Content-Type": "application/problem+json"],
            body: #"{"title":"Refused","status":\#(status),"code":"\#(code)","detail":"\#(detail)"}"#)
    }

    private static func object(_ data: Data) -> [String: Any] {
        (try? JSONSerialization.jsonObject(with: data)) as? [String: Any] ?? [:]
    }

    private static func bytes(_ object: [String: Any]) -> Data {
        (try? JSONSerialization.data(withJSONObject: object)) ?? Data()
    }
}
