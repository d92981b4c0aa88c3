@_spi(Tooling) import TelemetryModels
@_spi(Tooling) import TelemetrySystem

/// A message of a client, one line.
enum MCPMessage {
    /// The identifier of a request.
    enum Identifier: Hashable {
        case number(Int64)
        case string(String)

        init?(_ value: JSONValue?) {
            switch value {
            case .int(let number)?: self = .number(number)
            case .string(let text)?: self = .string(text)
            default: return nil
            }
        }
    }

    case request(Identifier, method: String, params: [String: JSONValue])
    case notification(method: String, params: [String: JSONValue])
    /// A response; the server sends no requests.
    case response
    case invalid(Identifier?, MCPError)

    init(_ line: String) {
        let value: JSONValue
        do { value = try JSONReader.read(line.utf8) { try JSONValue(reading: &$0) } } catch {
            self = .invalid(nil, .invalidMessage("The line cannot be read: \(error)."))
            return
        }
        guard case .object(let object) = value else {
            self = .invalid(nil, .invalidRequest("The message is not an object."))
            return
        }
        let identifier = Identifier(object["id"])
        guard object["jsonrpc"] == .string("2.0") else {
            self = .invalid(identifier, .invalidRequest("The message is not of JSON-RPC 2.0."))
            return
        }
        guard case .string(let method)? = object["method"] else {
            let isResponse = object["result"] != nil || object["error"] != nil
            self = isResponse ? .response : .invalid(identifier, .invalidRequest("The message has no method."))
            return
        }
        let params: [String: JSONValue]
        switch object["params"] {
        case nil: params = [:]
        case .object(let members)?: params = members
        default:
            self = .invalid(identifier, .invalidRequest("The params are not an object."))
            return
        }
        if let identifier {
            self = .request(identifier, method: method, params: params)
        } else if object["id"] == nil {
            self = .notification(method: method, params: params)
        } else {
            self = .invalid(nil, .invalidRequest("The id is not a string or an integer."))
        }
    }
}

extension JSONValue {
    /// The text; nil for another type.
    var text: String? { if case .string(let text) = self { text } else { nil } }

    /// The members; nil for another type.
    var members: [String: JSONValue]? { if case .object(let members) = self { members } else { nil } }
}
