import Foundation
import Programs

/// A client that knows only the Model Context Protocol.
@MainActor
final class MCPClient {
    /// A message of the server.
    struct Message {
        let object: [String: Any]

        var result: [String: Any] { object["result"] as? [String: Any] ?? [:] }
        var code: Int? { (object["error"] as? [String: Any])?["code"] as? Int }
        var errorMessage: String { (object["error"] as? [String: Any])?["message"] as? String ?? "" }
        var params: [String: Any] { object["params"] as? [String: Any] ?? [:] }
        /// Whether a tool failed.
        var isError: Bool? { result["isError"] as? Bool }
        /// The result of a tool.
        var content: [String: Any] { result["structuredContent"] as? [String: Any] ?? [:] }
        /// The text of a tool's result.
        var text: String { ((result["content"] as? [[String: Any]])?.first?["text"] as? String) ?? "" }

        subscript(name: String) -> String? { content[name] as? String }
        func list(_ name: String) -> [[String: Any]] { content[name] as? [[String: Any]] ?? [] }
    }

    static let meta: [String: Any] = [
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": [String: Any](),
    ]

    let tool: RunningTool
    private(set) var notifications: [Message] = []
    private var last = 0

    init(_ arguments: [String], environment: [String: String] = [:]) async throws {
        tool = try await RunningTool.start(["mcp"] + arguments, environment: environment)
    }

    /// Sends a request, and returns its identifier.
    func send(_ method: String, _ params: [String: Any] = [:], meta: [String: Any]? = nil) async throws -> Int {
        last += 1
        let all = params.merging(["_meta": meta ?? Self.meta]) { _, own in own }
        try await write(["jsonrpc": "2.0", "id": last, "method": method, "params": all])
        return last
    }

    func notify(_ method: String, _ params: [String: Any]) async throws {
        try await write(["jsonrpc": "2.0", "method": method, "params": params])
    }

    private func write(_ object: [String: Any]) async throws {
        try await tool.write(String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self) + "\n")
    }

    /// The next message; nil if the server ended.
    func next() async throws -> Message? {
        guard let line = await tool.output.next() else { return nil }
        return Message(object: try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] ?? [:])
    }

    /// The response to a request. Notifications before it are kept.
    func response(to identifier: Int) async throws -> Message {
        while let message = try await next() {
            if message.object["id"] as? Int == identifier { return message }
            notifications.append(message)
        }
        throw CocoaError(.fileReadUnknown)
    }

    func request(_ method: String, _ params: [String: Any] = [:], meta: [String: Any]? = nil) async throws -> Message {
        try await response(to: try await send(method, params, meta: meta))
    }

    func call(_ name: String, _ arguments: [String: Any] = [:], meta: [String: Any]? = nil) async throws -> Message {
        try await request("tools/call", ["name": name, "arguments": arguments], meta: meta)
    }

    /// The names of the tools.
    func toolNames() async throws -> [String] {
        let tools = try await request("tools/list").result["tools"] as? [[String: Any]] ?? []
        return tools.compactMap { $0["name"] as? String }
    }

    /// Ends the input, and returns how the server ended.
    @discardableResult
    func end() async throws -> Int32? {
        try await tool.closeInput()
        guard case .exited(let code) = try await tool.ended() else { return nil }
        return code
    }
}
