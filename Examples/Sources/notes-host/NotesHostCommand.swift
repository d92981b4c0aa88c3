import ArgumentParser
import Foundation

/// Where client and viewers meet.
enum Store {
    case directory(URL)
    case relay(URL, token: String?, secrets: URL)
}

/// The options of the command line.
@main
struct NotesHostCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notes-host",
        abstract: "Take notes, and log events about it.",
        usage: """
            notes-host [STORE] [NOTES]
            notes-host --relay URL [--token-file FILE] [NOTES]
            """,
        discussion: """
            STORE is the store's directory; the default is telemetry-store in the system's temporary directory. NOTES is the file
            for the notes; the default is notes.txt.

            The host reads one request per line from standard input: \(Input.help)
            SIGINT, SIGTERM and the end of input mean 'quit'.
            """)

    @Option(help: "The relay's URL, instead of a directory.", transform: relayURL)
    var relay: URL?

    @Option(
        name: .customLong("token-file"),
        help: "A file with the relay's token for hosts. Default: the environment variable LIVE_TELEMETRY_TOKEN.")
    var tokenFile: String?

    @Argument(help: .hidden)
    var paths: [String] = []

    func validate() throws {
        guard tokenFile == nil || relay != nil else { throw ValidationError("--token-file requires --relay.") }
        guard paths.count <= (relay == nil ? 2 : 1) else {
            throw ValidationError("Too many paths. With --relay, only the file for the notes is one.")
        }
    }

    func run() async throws {
        let files = paths.map { URL(fileURLWithPath: $0) }
        let notes = relay == nil ? files.dropFirst().first : files.first
        try await NotesHost(store: store(files), notes: notes ?? URL(fileURLWithPath: "notes.txt")).run()
    }

    private func store(_ files: [URL]) throws -> Store {
        guard let relay else {
            return .directory(files.first ?? FileManager.default.temporaryDirectory.appending(path: "telemetry-store"))
        }
        let environment = ProcessInfo.processInfo.environment
        // Nil for a relay on this machine without tokens.
        let token = try tokenFile.map { try String(contentsOfFile: $0, encoding: .utf8) } ?? environment["LIVE_TELEMETRY_TOKEN"]
        let state =
            environment["XDG_STATE_HOME"].map { URL(fileURLWithPath: $0) }
            ?? FileManager.default.homeDirectoryForCurrentUser.appending(path: ".local/state")
        return .relay(relay, token: token, secrets: state.appending(path: "notes-host"))
    }
}

@Sendable
private func relayURL(_ text: String) throws -> URL {
    guard let url = URL(string: text), ["http", "https"].contains(url.scheme?.lowercased()), url.host() != nil else {
        throw ValidationError("\"\(text)\" is not a relay's URL. Example: https://relay.example.com.")
    }
    return url
}
