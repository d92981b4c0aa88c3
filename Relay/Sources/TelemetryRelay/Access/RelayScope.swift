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

    /// Such as `app=com.example.* scenario=Net`.
    var text: String {
        lists.flatMap { list in list.patterns.map { "\(list.name)=\($0.text)" } }.joined(separator: " ")
    }

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
    /// - Throws: ``RelayStorageError/corrupt(_:)`` if it is not a scope that this relay understands: it must not count as no limit.
    init(stored: Data) throws {
        let lists = (try? JSONDecoder().decode([String: [String]].self, from: stored)) ?? [:]
        let scope = RelayScope(
            apps: lists["app"] ?? [], scenarios: lists["scenario"] ?? [], clients: lists["client"] ?? [])
        guard let scope, lists.keys.allSatisfy(Set(scope.lists.map(\.name)).contains) else {
            throw RelayStorageError.corrupt("a token has an unknown scope")
        }
        self = scope
    }
}
