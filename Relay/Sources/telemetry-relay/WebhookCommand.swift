import ArgumentParser
import Foundation
import TelemetryRelay

struct WebhookCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "webhook", abstract: "Add, list, remove and test the addresses to which the relay sends messages.",
        discussion: "The relay may be running; changes take effect within a second.",
        subcommands: [Add.self, List.self, Remove.self, Test.self])

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add a webhook.",
            discussion: """
                Messages are signed as the Standard Webhooks specification describes. Without a file, the secret is made here and \
                printed; it is shown only once.
                """)

        @Argument(help: "The webhook's name.")
        var name: String
        @Argument(help: "An https or http URL. Redirects are not followed.")
        var url: String
        @Option(help: "A file with the secret: whsec_ and 24 to 64 bytes in base64.", completion: .file())
        var secretFile: String?
        @OptionGroup var store: DatabaseOptions

        func run() async throws {
            let secret = try secretFile.map(Self.secret)
            try await store.withWebhooks { webhooks in
                if let made = try await webhooks.add(name, url: url, secret: secret) { try TerminalOutput.write(made.text) }
            }
        }

        private static func secret(inFile path: String) throws -> WebhookSecret {
            let text = try String(contentsOfFile: path, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
            guard let secret = WebhookSecret(text) else {
                throw ValidationError("\(path) does not contain whsec_ and 24 to 64 bytes in base64")
            }
            return secret
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List webhooks and their URLs, without the keys of signatures.")

        @OptionGroup var store: DatabaseOptions

        func run() async throws {
            try await store.withWebhooks { webhooks in
                for line in try await webhooks.list() { try TerminalOutput.write(line) }
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Remove a webhook, and what waits to be sent to it.")

        @Argument(help: "The webhook's name.")
        var name: String
        @OptionGroup var store: DatabaseOptions

        func run() async throws {
            try await store.withWebhooks { try await $0.remove(name) }
        }
    }

    struct Test: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Let the running relay send a message without events, and print what became of it.")

        /// For how long the command waits, in seconds: longer than an attempt takes.
        private static let patience = 20

        @Argument(help: "The webhook's name.")
        var name: String
        @OptionGroup var store: DatabaseOptions

        func run() async throws {
            try await store.withWebhooks { webhooks in
                let message = try await webhooks.test(name)
                for _ in 0..<Self.patience {
                    try await Task.sleep(for: .seconds(1))
                    switch try await webhooks.progress(of: message) {
                    case .ended: return try TerminalOutput.write("delivered")
                    case .waiting(nil): continue
                    case .waiting(let failure?):
                        throw RelayConfigurationError("not delivered: \(failure); the relay tries again for a day")
                    }
                }
                throw RelayConfigurationError("no relay has sent it yet: none runs, or earlier messages wait; it is sent later")
            }
        }
    }
}
