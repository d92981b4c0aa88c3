import ArgumentParser
import Foundation
import TelemetryModels
import TelemetryTransport
import ViewerKit

/// What a shell offers for a client or a scenario: what the store on the line knows.
enum Completions {
    static let clients = CompletionKind.custom { words, _, _ in
        guard let transport = store(words) else { return [] }
        return offered(((try? await transport.fetchTelemetryClients()) ?? []).map(\.clientId))
    }

    /// Those of the client that stands before; of all where none does.
    static let scenarios = CompletionKind.custom { words, _, _ in
        guard let transport = store(words), let all = try? await transport.fetchScenarios() else { return [] }
        let known = Set(all.map(\.clientId))
        let client = words.first(where: known.contains)
        return offered(Set(all.filter { client == nil || $0.clientId == client }.map(\.scenarioName)).sorted())
    }

    /// Without those that a terminal would act on, or that a shell would take for several.
    private static func offered(_ names: [String]) -> [String] { names.filter { $0 == $0.visible } }

    private static func store(_ words: [String]) -> FileTelemetryTransport? {
        let option = words.lastIndex { $0 == "--directory" || $0 == "-d" }.map { words.index(after: $0) }
        let named = option.flatMap { words.indices.contains($0) ? words[$0] : nil }
        guard let path = named ?? ProcessInfo.processInfo.environment[StoreOptions.variable] else { return nil }
        return try? StoreDirectory(path: path).open()
    }
}
