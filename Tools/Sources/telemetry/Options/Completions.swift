import ArgumentParser
import Foundation
import TelemetryHTTP
@_spi(Tooling) import TelemetryModels
import TelemetryTransport
import ViewerKit

/// Shell completions for clients, scenarios, rules and contexts, read from the store that is given on the command line.
enum Completions {
    /// The timeout for a relay, because the shell is blocked meanwhile.
    private static let timeout = Duration.seconds(3)
    /// The number of events whose attributes, or sessions, are offered.
    private static let sampledEvents = 200

    static let clients = CompletionKind.custom { words, _, _ in
        guard let transport = store(words) else { return [] }
        let names = aliases(words).identifiers.keys.sorted()
        return offered(((try? await transport.fetchTelemetryClients()) ?? []).map(\.clientId) + names)
    }

    static let aliases = CompletionKind.custom { words, _, _ in offered(aliases(words).identifiers.keys.sorted()) }

    /// The scenarios of the client on the command line, or of all clients if there is none.
    static let scenarios = CompletionKind.custom { words, _, _ in
        guard let transport = store(words), let all = try? await transport.fetchScenarios() else { return [] }
        let known = Set(all.map(\.clientId))
        let identifiers = aliases(words).identifiers
        let client = words.map { identifiers[$0] ?? $0 }.first(where: known.contains)
        return offered(Set(all.filter { client == nil || $0.clientId == client }.map(\.scenarioName)).sorted())
    }

    static let rules = CompletionKind.custom { words, _, _ in
        offered(((try? await store(words)?.fetchRules()) ?? []).map(\.ruleId))
    }

    /// The fields of queries, and the attributes of the newest events.
    static let queries = CompletionKind.custom { words, _, _ in
        let page = try? await store(words)?.events(matching: .all, before: nil, limit: sampledEvents)
        let attributes = Set((page?.events ?? []).flatMap(\.attributes.keys))
        return offered((QueryField.builtInNames + attributes.subtracting(QueryField.builtInNames).sorted()).map { $0 + ":" })
    }

    /// The sessions that ended last without a shutdown.
    static let endedSessions = CompletionKind.custom { words, _, _ in
        guard let query = try? SessionEndList.query(limit: sampledEvents) else { return [] }
        let events = (try? await store(words)?.result(of: query, matching: .all, now: .now).events) ?? []
        return offered(Set(events.compactMap { SessionEnd($0)?.session }).sorted())
    }

    static let contexts = CompletionKind.custom { _, _, _ in
        let store = ContextStore(environment: ProcessInfo.processInfo.environment)
        return offered(((try? store.read())?.contexts ?? []).map(\.name).sorted())
    }

    /// Excludes names that a shell could expand or split, or that look like options: bash evaluates what it is offered, including
    /// `$(…)`. For zsh, a colon that is not escaped begins a description.
    private static func offered(_ names: [String]) -> [String] {
        let plain = names.filter { name in
            name.first != "-" && !name.isEmpty
                && name.unicodeScalars.allSatisfy {
                    $0.properties.isAlphabetic || $0.properties.numericType != nil || "-_.:".unicodeScalars.contains($0)
                }
        }
        return CompletionShell.requesting == .zsh ? plain.map { $0.replacing(":", with: "\\:") } : plain
    }

    private static func aliases(_ words: [String]) -> ClientAliases {
        location(words).flatMap { try? AliasStore.own.aliases(of: $0) } ?? ClientAliases()
    }

    private static func location(_ words: [String]) -> StoreLocation? {
        func value(of options: String...) -> String? {
            // A condition selects no store.
            let values = zip(words, words.dropFirst()).filter { option, value in
                options.contains(option) && !(option == "--context" && RuleConditionText.contextCondition(value) != nil)
            }
            return values.last?.1
        }
        let choice = StoreChoice(
            directory: value(of: "--directory", "-d"), relay: value(of: "--relay"), tokenFile: value(of: "--token-file"),
            context: value(of: "--context"))
        let environment = ProcessInfo.processInfo.environment
        guard choice.conflict == nil else { return nil }
        return try? choice.location(environment: environment, contexts: ContextStore(environment: environment))
    }

    private static func store(_ words: [String]) -> (any TelemetryTransporting)? {
        guard let location = location(words) else { return nil }
        switch location {
        case .directory(let directory): return try? directory.open()
        case .relay(let relay): return relay.viewer(.init(requestTimeout: timeout))
        }
    }
}
