import Foundation

/// An alert of a relay: what makes it send a message, and to which webhook.
public struct RelayAlert: Sendable, Equatable {
    public enum Condition: Sendable, Equatable {
        /// A number of matching events arrive within a time in seconds. The query has no pipes.
        case events(query: String, count: Int, within: Int)
        /// An approved client is not seen for a number of seconds. `clients` is a pattern for identifiers.
        case silence(seconds: Int, clients: String)
    }

    public var name: String
    public var condition: Condition
    /// The name of a webhook of the relay.
    public var webhook: String
    /// For how long it does not fire again, in seconds.
    public var quiet: Int
    public var isEnabled = true
    /// The name of the token that made it; nil if it is not known.
    public var owner: String?

    public init(name: String, condition: Condition, webhook: String, quiet: Int = 3_600) {
        (self.name, self.condition, self.webhook, self.quiet) = (name, condition, webhook, quiet)
    }

    /// Returns nil if the JSON object is not an alert.
    init?(_ object: [String: Any]) {
        guard let name = object["name"] as? String, let condition = Condition(object),
            let webhook = object["webhook"] as? String, let quiet = object["quiet"] as? Int,
            let isEnabled = object["isEnabled"] as? Bool
        else { return nil }
        self.init(name: name, condition: condition, webhook: webhook, quiet: quiet)
        self.isEnabled = isEnabled
        owner = object["owner"] as? String
    }

    /// The body that saves it.
    var body: Data {
        var line = JSONLine()
        add(to: &line)
        return Data(line.text.utf8)
    }

    /// The alert with the relay's names.
    public var jsonLine: JSONLine {
        var line = JSONLine()
        line.add("name", name)
        add(to: &line)
        line.add("owner", owner)
        return line
    }

    private func add(to line: inout JSONLine) {
        switch condition {
        case .events(let query, let count, let within):
            line.add("query", query)
            line.add("count", count)
            line.add("within", within)
        case .silence(let seconds, let clients):
            line.add("silence", seconds)
            line.add("clients", clients)
        }
        line.add("webhook", webhook)
        line.add("quiet", quiet)
        line.add("isEnabled", isEnabled)
    }
}

extension RelayAlert.Condition {
    fileprivate init?(_ object: [String: Any]) {
        if let query = object["query"] as? String, let count = object["count"] as? Int, let within = object["within"] as? Int {
            self = .events(query: query, count: count, within: within)
        } else if let seconds = object["silence"] as? Int, let clients = object["clients"] as? String {
            self = .silence(seconds: seconds, clients: clients)
        } else {
            return nil
        }
    }
}
