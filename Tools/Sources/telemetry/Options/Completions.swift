import ArgumentParser
import Foundation
import TelemetryModels
import TelemetryTransport
import ViewerKit

/// Shell completions for clients and scenarios, read from the store that is given on the command line.
enum Completions {
    static let clients = CompletionKind.custom { words, _, _ in
        guard let transport = store(words) else { return [] }
        return offered(((try? await transport.fetchTelemetryClients()) ?? []).map(\.clientId))
    }

    /// The scenarios of the client that precedes on the command line, or of all clients if there is none.
    static let scenarios = CompletionKind.custom { words, _, _ in
        guard let transport = store(words), let all = try? await transport.fetchScenarios() else { return [] }
        let known = Set(all.map(\.clientId))
        let client = words.first(where: known.contains)
        return offered(Set(all.filter { client == nil || $0.clientId == client }.map(\.scenarioName)).sorted())
    }

    /// Excludes names with control characters, or that a shell would split.
    private static func offered(_ names: [String]) -> [String] { names.filter { $0 == $0.visible } }

    private static func store(_ words: [String]) -> FileTelemetryTransport? {
        let option = words.lastIndex { $0 == "--directory" || $0 == "-d" }.map { words.index(after: $0) }
        let named = option.flatMap { words.indices.contains($0) ? words[$0] : nil }
        guard let path = named ?? ProcessInfo.processInfo.environment[StoreOptions.variable] else { return nil }
        return try? StoreDirectory(path: path).open()
    }
}
