@_spi(Tooling) import TelemetryModels
import ViewerKit

/// A server of the Model Context Protocol, one message a line: <https://modelcontextprotocol.io/specification/2026-07-28>.
///
/// It also serves clients of the revisions before, which begin with `initialize`. Requests are answered as they are done, in any order.
package actor MCPServer {
    /// The maximum number of requests under way.
    static let maximumRequests = 64
    /// For how many milliseconds a client may keep what does not change while the program runs.
    private static let lifetime = 3_600_000

    private struct Running {
        /// Distinguishes requests with the same identifier, of which the first was cancelled.
        let number: Int
        let task: Task<Void, Never>
        let waits: Bool
    }

    private let tools: [MCPTool]
    private let resources: [MCPResource]
    private let instructions: String
    private let describe: @Sendable (any Error) async -> String
    private let write: @Sendable ([UInt8]) -> Void
    private var running: [MCPMessage.Identifier: Running] = [:]
    private var lastNumber = 0
    /// Whether the client began a session.
    private var hasSession = false

    /// - Parameters:
    ///   - describe: Describes an error of a tool.
    ///   - write: Writes a line.
    package init(
        tools: [MCPTool], resources: [MCPResource], instructions: String,
        describing describe: @escaping @Sendable (any Error) async -> String, write: @escaping @Sendable ([UInt8]) -> Void
    ) {
        (self.tools, self.resources, self.instructions) = (tools, resources, instructions)
        (self.describe, self.write) = (describe, write)
    }

    /// Begins what a line of the client asks for.
    package func receive(_ line: String) {
        switch MCPMessage(line) {
        case .request(let identifier, let method, let params): begin(identifier, method, params)
        case .notification("notifications/cancelled", let params):
            if let identifier = MCPMessage.Identifier(params["requestId"]) {
                running.removeValue(forKey: identifier)?.task.cancel()
            }
        case .notification, .response: break
        case .invalid(let identifier, let error): send(error, to: identifier)
        }
    }

    /// Returns when all requests are answered. Those that wait for what may never happen are cancelled.
    package func finish() async {
        for (identifier, request) in running where request.waits {
            request.task.cancel()
            running[identifier] = nil
        }
        for request in running.values { await request.task.value }
    }

    private func begin(_ identifier: MCPMessage.Identifier, _ method: String, _ params: [String: JSONValue]) {
        guard running[identifier] == nil else {
            return send(.invalidRequest("A request with this id is under way."), to: nil)
        }
        guard running.count < Self.maximumRequests else {
            return send(.invalidRequest("There are \(Self.maximumRequests) requests under way."), to: identifier)
        }
        lastNumber += 1
        let number = lastNumber
        let tool = method == "tools/call" ? tools.first { $0.name == params["name"]?.text } : nil
        let task = Task {
            do throws(MCPError) {
                answer(identifier, number, with: try await result(of: method, params, identifier, number))
            } catch {
                fail(identifier, number, with: error)
            }
        }
        running[identifier] = Running(number: number, task: task, waits: tool?.waits ?? false)
    }

    // MARK: Answers

    /// Removes a request; false if it was cancelled.
    private func remove(_ identifier: MCPMessage.Identifier, _ number: Int) -> Bool {
        guard running[identifier]?.number == number else { return false }
        running[identifier] = nil
        return true
    }

    private func answer(_ identifier: MCPMessage.Identifier, _ number: Int, with result: JSONLine) {
        guard remove(identifier, number) else { return }
        var response = Self.response(to: identifier)
        response.add("result", result)
        send(response)
    }

    private func fail(_ identifier: MCPMessage.Identifier, _ number: Int, with error: MCPError) {
        if remove(identifier, number) { send(error, to: identifier) }
    }

    private func send(_ error: MCPError, to identifier: MCPMessage.Identifier?) {
        var object = JSONLine()
        object.add("code", error.code)
        object.add("message", error.message)
        if let data = error.data { object.add("data", json: data) }
        var response = Self.response(to: identifier)
        response.add("error", object)
        send(response)
    }

    private func notify(
        _ identifier: MCPMessage.Identifier, _ number: Int, _ token: MCPMessage.Identifier, _ done: Double, _ total: Double?,
        _ message: String
    ) {
        guard running[identifier]?.number == number else { return }
        var params = JSONLine()
        params.add("progressToken", token)
        params.add("progress", done)
        params.add("total", total)
        params.add("message", message)
        var notification = JSONLine()
        notification.add("jsonrpc", "2.0")
        notification.add("method", "notifications/progress")
        notification.add("params", params)
        send(notification)
    }

    private func send(_ message: JSONLine) { write(Array("\(message.text)\n".utf8)) }

    private static func response(to identifier: MCPMessage.Identifier?) -> JSONLine {
        var response = JSONLine()
        response.add("jsonrpc", "2.0")
        response.add("id", identifier)
        return response
    }

    // MARK: Methods

    private func result(
        of method: String, _ params: [String: JSONValue], _ identifier: MCPMessage.Identifier, _ number: Int
    ) async throws(MCPError) -> JSONLine {
        if method == "initialize" { return beginSession(params) }
        let meta = params["_meta"]?.members ?? [:]
        let isCurrent = try revision(of: meta, method) == MCPVersion.current
        var (result, isCacheable) = try await result(of: method, params, meta, identifier, number)
        // The revisions before know neither, and some of their clients refuse what they do not know.
        guard isCurrent else { return result }
        if isCacheable {
            result.add("ttlMs", Self.lifetime)
            result.add("cacheScope", "private")
        }
        result.add("resultType", "complete")
        var information = JSONLine()
        information.add("io.modelcontextprotocol/serverInfo", Self.information)
        result.add("_meta", information)
        return result
    }

    private func result(
        of method: String, _ params: [String: JSONValue], _ meta: [String: JSONValue], _ identifier: MCPMessage.Identifier,
        _ number: Int
    ) async throws(MCPError) -> (result: JSONLine, isCacheable: Bool) {
        var result = JSONLine()
        switch method {
        case "ping": return (result, false)
        case "tools/call":
            let token = MCPMessage.Identifier(meta["progressToken"])
            result = try await call(params) { [self] done, total, message in
                if let token { await notify(identifier, number, token, done, total, message) }
            }
            return (result, false)
        case "server/discover":
            result = description
            result.add("supportedVersions", MCPVersion.all)
        case "tools/list": result.add("tools", tools.map(\.json))
        case "resources/list": result.add("resources", resources.map(\.json))
        case "resources/templates/list": result.add("resourceTemplates", [JSONLine]())
        case "resources/read":
            guard let resource = resources.first(where: { $0.uri == params["uri"]?.text }) else {
                throw .invalidParameters(
                    "There is no such resource. The resources: \(resources.map(\.uri).joined(separator: ", ")).")
            }
            result.add("contents", [resource.contents])
        default: throw .unknownMethod(method)
        }
        return (result, true)
    }

    /// The revision that a request names; nil if it belongs to a session.
    private func revision(of meta: [String: JSONValue], _ method: String) throws(MCPError) -> String? {
        let (version, capabilities) = ("io.modelcontextprotocol/protocolVersion", "io.modelcontextprotocol/clientCapabilities")
        guard let value = meta[version] else {
            if hasSession || method == "ping" { return nil }
            throw .invalidParameters(
                "The request's _meta has no \(version). Clients of revisions before \(MCPVersion.current) begin with initialize.")
        }
        guard let named = value.text else { throw .invalidParameters("\(version) is not a string.") }
        guard MCPVersion.all.contains(named) else { throw .unsupportedVersion(named) }
        if named == MCPVersion.current, meta[capabilities]?.members == nil {
            throw .invalidParameters("The request's _meta has no \(capabilities).")
        }
        return named
    }

    private func beginSession(_ params: [String: JSONValue]) -> JSONLine {
        hasSession = true
        var result = description
        result.add("protocolVersion", MCPVersion.negotiated(params["protocolVersion"]?.text))
        result.add("serverInfo", Self.information)
        return result
    }

    private func call(
        _ params: [String: JSONValue], progress: @escaping @Sendable (Double, Double?, String) async -> Void
    ) async throws(MCPError) -> JSONLine {
        guard let name = params["name"]?.text else { throw .invalidParameters("The name of the tool is missing.") }
        guard let tool = tools.first(where: { $0.name == name }) else {
            throw .invalidParameters(
                "There is no tool \"\(name.fitted(to: 80))\". The tools: \(tools.map(\.name).joined(separator: ", ")).")
        }
        var arguments: [String: JSONValue] = [:]
        switch params["arguments"] {
        case nil: break
        case .object(let members)?: arguments = members
        default: throw .invalidParameters("The arguments are not an object.")
        }
        do {
            let content = try await tool.call(MCPArguments(arguments, of: tool), MCPProgress(report: progress))
            var result = Self.content(content.json, isError: false)
            result.add("structuredContent", json: Array(content.json.utf8))
            return result
        } catch {
            return Self.content(await describe(error), isError: true)
        }
    }

    private static func content(_ text: String, isError: Bool) -> JSONLine {
        var block = JSONLine()
        block.add("type", "text")
        block.add("text", text)
        var result = JSONLine()
        result.add("content", [block])
        result.add("isError", isError)
        return result
    }

    /// What a session and the discovery have in common.
    private var description: JSONLine {
        var capabilities = JSONLine()
        capabilities.add("tools", JSONLine())
        capabilities.add("resources", JSONLine())
        var result = JSONLine()
        result.add("capabilities", capabilities)
        result.add("instructions", instructions)
        return result
    }

    private static var information: JSONLine {
        var information = JSONLine()
        information.add("name", "telemetry")
        information.add("title", "LiveTelemetry")
        information.add("version", LiveTelemetryVersion.version)
        return information
    }
}

extension JSONLine {
    fileprivate mutating func add(_ name: String, _ identifier: MCPMessage.Identifier?) {
        switch identifier {
        case .number(let number)?: add(name, number)
        case .string(let text)?: add(name, text)
        case nil: break
        }
    }
}
