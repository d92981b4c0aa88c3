import ViewerKit

/// An error of the protocol, with the codes of JSON-RPC 2.0 and of the Model Context Protocol.
struct MCPError: Error {
    let code: Int
    let message: String
    /// An object as JSON.
    var data: [UInt8]?

    static func invalidMessage(_ message: String) -> Self { Self(code: -32700, message: message) }
    static func invalidRequest(_ message: String) -> Self { Self(code: -32600, message: message) }
    static func unknownMethod(_ method: String) -> Self { Self(code: -32601, message: "There is no method \(quoted(method)).") }
    static func invalidParameters(_ message: String) -> Self { Self(code: -32602, message: message) }

    static func unsupportedVersion(_ requested: String) -> Self {
        var data = JSONLine()
        data.add("supported", MCPVersion.all)
        data.add("requested", requested)
        return Self(
            code: -32022, message: "The protocol's revision \(quoted(requested)) is not supported.", data: Array(data.text.utf8))
    }

    private static func quoted(_ text: String) -> String { "\"\(text.fitted(to: 80))\"" }
}
