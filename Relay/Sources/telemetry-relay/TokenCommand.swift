import ArgumentParser
import Foundation
import TelemetryRelay

struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Create, list and revoke tokens.",
        discussion: "The relay may be running; changes take effect within a second.",
        subcommands: [Create.self, List.self, Revoke.self])

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create a token and print it. It is shown only once; the store keeps only its hash.")

        @Option(help: "host, viewer, reader or auditor.", transform: Self.role)
        var role: RelayRole
        @Option(help: "The token's name.")
        var name: String
        @Option(help: "How long the token is valid: a number and s, m, h or d. Default: no expiry.", transform: Self.lifetime)
        var expires: TokenLifetime?
        @Option(
            name: .customLong("app"),
            help: "Limit the token to clients of this app; * stands for any characters. May be repeated.")
        var apps: [String] = []
        @Option(
            name: .customLong("scenario"),
            help:
                "Limit the token to events and records of this scenario, and records of clients; * stands for any characters. May be repeated."
        )
        var scenarios: [String] = []
        @Option(
            name: .customLong("client"),
            help: "Limit the token to clients with this identifier; * stands for any characters. May be repeated.")
        var clients: [String] = []
        @OptionGroup var store: DatabaseOptions

        func run() async throws {
            let scope = RelayScope(apps: apps, scenarios: scenarios, clients: clients)
            try await store.withTokens { tokens in
                let text = try await tokens.create(role: role, name: name, lifetime: expires, scope: scope)
                try TerminalOutput.write(text)
            }
        }

        @Sendable
        private static func role(_ text: String) throws -> RelayRole {
            guard let role = RelayRole(rawValue: text) else {
                throw ValidationError("the role must be host, viewer, reader or auditor")
            }
            return role
        }

        @Sendable
        private static func lifetime(_ text: String) throws -> TokenLifetime {
            guard let lifetime = TokenLifetime(text) else {
                throw ValidationError("\(text) is not a number and s, m, h or d, such as 90d")
            }
            return lifetime
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List tokens, without their text.")

        @OptionGroup var store: DatabaseOptions

        func run() async throws {
            try await store.withTokens { tokens in
                for line in try await tokens.list() { try TerminalOutput.write(line) }
            }
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Revoke a token permanently.")

        @Argument(help: "The token's name.")
        var name: String
        @OptionGroup var store: DatabaseOptions

        func run() async throws {
            try await store.withTokens { try await $0.revoke(name) }
        }
    }
}
