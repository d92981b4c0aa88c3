import Foundation
@_spi(Tooling) import TelemetrySystem

/// What the token of a viewer or reader is limited to. An empty list is no limit; otherwise a name must match one of the patterns.
///
/// A pattern with other characters than `*` matches a name of more than 64 bytes only if it has no `*` and is the whole name.
public struct RelayScope: Sendable, Hashable {
    /// Limits the clients to those of these apps.
    public let apps: [NamePattern]
    /// Limits events, and what turns scenarios on and off, to these scenarios.
    public let scenarios: [NamePattern]
    /// Limits the clients to those with these identifiers.
    public let clients: [NamePattern]

    /// Nil without patterns.
    public init?(apps: [String] = [], scenarios: [String] = [], clients: [String] = []) {
        if apps.isEmpty, scenarios.isEmpty, clients.isEmpty { return nil }
        self.apps = apps.map(NamePattern.init)
        self.scenarios = scenarios.map(NamePattern.init)
        self.clients = clients.map(NamePattern.init)
    }

    /// Each list with its name on the command line and on the wire.
    var lists: [(name: String, patterns: [NamePattern])] { [("app", apps), ("scenario", scenarios), ("client", clients)] }

    /// Whether it is limited to some clients.
    var limitsClients: Bool { !apps.isEmpty || !clients.isEmpty }

    /// As JSON, without empty lists.
    var json: [UInt8] {
        var writer = JSONWriter(capacity: 128)
        writer.object { writer in
            for (name, patterns) in lists where !patterns.isEmpty {
                writer.key(name)
                writer.array(patterns) { $1.string($0.text) }
            }
        }
        return writer.bytes
    }
}

extension [NamePattern] {
    /// Whether there is no pattern, or one that matches.
    func admits(_ name: String) -> Bool { isEmpty || contains { $0.matches(key: NameKey.data(of: name)) } }
}

/// The stored form: ``json``.
extension RelayScope {
    private struct Stored: Decodable {
        let app, scenario, client: [String]?
    }

    init?(stored: Data) throws {
        guard let stored = try? JSONDecoder().decode(Stored.self, from: stored) else {
            throw RelayStorageError.corrupt("a token has an unknown scope")
        }
        self.init(apps: stored.app ?? [], scenarios: stored.scenario ?? [], clients: stored.client ?? [])
    }
}
