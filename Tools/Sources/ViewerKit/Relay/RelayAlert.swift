import Foundation

/// An alert of a relay: a query, and how many of its events make it send a message.
public struct RelayAlert: Sendable, Equatable {
    public var name: String
    /// A query without pipes.
    public var query: String
    /// The number of events that make it fire.
    public var count: Int
    /// The time within which they arrive, in seconds.
    public var within: Int
    /// The name of a webhook of the relay.
    public var webhook: String
    /// For how long it does not fire again, in seconds.
    public var quiet: Int
    public var isEnabled = true
    /// The name of the token that made it; nil if it is not known.
    public var owner: String?

    public init(name: String, query: String, count: Int = 1, within: Int = 60, webhook: String, quiet: Int = 3_600) {
        (self.name, self.query, self.webhook) = (name, query, webhook)
        (self.count, self.within, self.quiet) = (count, within, quiet)
    }

    /// Returns nil if the JSON object is not an alert.
    init?(_ object: [String: Any]) {
        guard let name = object["name"] as? String, let query = object["query"] as? String,
            let webhook = object["webhook"] as? String, let count = object["count"] as? Int,
            let within = object["within"] as? Int, let quiet = object["quiet"] as? Int,
            let isEnabled = object["isEnabled"] as? Bool
        else { return nil }
        self.init(name: name, query: query, count: count, within: within, webhook: webhook, quiet: quiet)
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
        line.add("query", query)
        line.add("count", count)
        line.add("within", within)
        line.add("webhook", webhook)
        line.add("quiet", quiet)
        line.add("isEnabled", isEnabled)
    }
}
