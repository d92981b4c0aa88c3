import ArgumentParser
import Foundation
import ViewerKit

struct ContextAddCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a context for a relay or a directory.",
        usage: "telemetry context add NAME (--relay URL [--token-file FILE | --token-stdin] | --directory DIR)",
        discussion: """
            The path of the token file is stored, not the token. With --token-stdin the token is read from standard input and \
            stored in a separate file that only you can read.

            Examples:
              telemetry context add prod --relay https://relay.example.com --token-file ~/.config/relay-token
              telemetry context add here --directory /srv/telemetry
            """)

    @Option(help: "The relay's URL.")
    var relay: String?

    @Option(name: .customLong("token-file"), help: "A file with the relay's token.", completion: .file())
    var tokenFile: String?

    @Flag(name: .customLong("token-stdin"), help: "Read the relay's token from standard input, and store it.")
    var tokenStdin = false

    @Option(name: [.customShort("d"), .long], help: "The store's directory.", completion: .directory)
    var directory: String?

    @Flag(help: "Replace the context if it exists.")
    var force = false

    @Argument(help: "The name: letters, digits, dots, hyphens and underscores.")
    var name: String

    func validate() throws {
        if let conflict = StoreChoice(directory: directory, relay: relay, tokenFile: tokenFile).conflict {
            throw ValidationError(conflict)
        }
        guard relay != nil || directory != nil else { throw ValidationError("Give --relay URL or --directory DIR.") }
        if tokenStdin, relay == nil { throw ValidationError("--token-stdin requires --relay.") }
        if tokenStdin, tokenFile != nil { throw ValidationError("Give --token-file or --token-stdin, not both.") }
        do { try StoreContext.check(name: name) } catch let failure as ToolFailure {
            throw ValidationError(failure.message)
        }
    }

    func perform(_ console: Console) async throws {
        // The file is read to detect a wrong path or permissions now instead of at the first command.
        if let tokenFile { _ = try AccessToken(file: tokenFile) }
        let token = tokenStdin ? try Self.readToken(console) : nil
        let context = StoreContext(
            name: name, relay: try relay.map { try RelayLocation.parse($0).get().absoluteString },
            tokenFile: tokenFile.map(Self.absolute), directory: directory.map { StoreDirectory(path: $0).url.path })
        let store = ContextStore.own
        try store.add(context, token: token, replacing: force)
        console.line("\(console.style.green("✓")) Added the context \(name).")
        if try store.read().current != name { console.note("To use it by default: telemetry context use \(name)") }
    }

    private static func absolute(_ path: String) -> String { URL(fileURLWithPath: path).standardizedFileURL.path }

    private static func readToken(_ console: Console) throws -> AccessToken {
        if isatty(STDIN_FILENO) == 1 { console.note("Paste the token, then press Return:") }
        return try AccessToken(readLine() ?? "", source: "standard input")
    }
}
