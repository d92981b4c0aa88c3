import Foundation
@_spi(Tooling) import TelemetryTestKit
import Testing

@testable import ViewerKit

struct StoreChoiceTests {
    private let directory = TemporaryDirectory()

    /// Contexts of which none is current.
    private func makeContexts() throws -> ContextStore {
        let contexts = ContextStore(directory: directory.url)
        try contexts.add(StoreContext(name: "relay", relay: "https://context.example"), replacing: false)
        try contexts.add(StoreContext(name: "other", directory: "/other"), replacing: false)
        return contexts
    }

    private static let environment = ["LIVE_TELEMETRY_STORE": "/variable", "LIVE_TELEMETRY_CONTEXT": "other"]

    @Test("An explicit store precedes a named context, the environment and the current context")
    func precedence() throws {
        let contexts = try makeContexts()
        #expect(try StoreChoice().location(environment: [:], contexts: contexts)?.name == nil)
        try contexts.use("relay")
        let cases: [(StoreChoice, [String: String], String?)] = [
            (StoreChoice(directory: "/option", context: "relay"), Self.environment, "/option"),
            (StoreChoice(relay: "http://option.example/", context: "other"), Self.environment, "http://option.example"),
            (StoreChoice(context: "relay"), Self.environment, "https://context.example"),
            (StoreChoice(), Self.environment, "/variable"),
            (StoreChoice(), ["LIVE_TELEMETRY_CONTEXT": "other"], "/other"),
            (StoreChoice(), ["LIVE_TELEMETRY_STORE": "", "LIVE_TELEMETRY_CONTEXT": ""], "https://context.example"),
        ]
        for (choice, environment, expected) in cases {
            let found = try choice.location(environment: environment, contexts: contexts)
            #expect(found?.name == expected)
        }
    }

    @Test("An unknown context is an error, without fallback to the next choice")
    func unknown() throws {
        let contexts = try makeContexts()
        try contexts.use("relay")
        for (choice, environment) in [
            (StoreChoice(context: "none"), [:]), (StoreChoice(), ["LIVE_TELEMETRY_CONTEXT": "none"]),
        ] as [(StoreChoice, [String: String])] {
            #expect(throws: ToolFailure(.notFound, "No context \"none\". Contexts: other, relay.")) {
                try choice.location(environment: environment, contexts: contexts)
            }
        }
    }

    @Test("A token comes from the option's file, then the context's, then the environment")
    func tokens() throws {
        let contexts = try makeContexts()
        let environment = ["LIVE_TELEMETRY_TOKEN": "variable"]
        func file(_ name: String) throws -> String {
            let url = contexts.directory.appendingPathComponent(name)
            let isMade = FileManager.default.createFile(
                atPath: url.path, contents: Data(name.utf8), attributes: [.posixPermissions: 0o600])
            #expect(isMade)
            return url.path
        }
        func token(_ choice: StoreChoice) throws -> String? {
            try choice.location(environment: environment, contexts: contexts)?.relay?.token?.value
        }
        let option = try file("option")
        #expect(try token(.init(relay: "http://a", tokenFile: option)) == "option")
        #expect(try token(.init(relay: "http://a")) == "variable")
        #expect(try token(.init(context: "relay")) == "variable")
        try contexts.add(
            StoreContext(name: "relay", relay: "http://a", tokenFile: try file("own")), replacing: true)
        #expect(try token(.init(context: "relay")) == "own")
        #expect(try token(.init(tokenFile: option, context: "relay")) == "option")
        #expect(throws: ToolFailure.self) {
            try StoreChoice(tokenFile: option, context: "other").location(environment: [:], contexts: contexts)
        }
    }

    @Test(
        "Contradictory options are reported",
        arguments: [
            (StoreChoice(directory: "a", relay: "http://a"), "Give --directory or --relay, not both."),
            (StoreChoice(directory: ""), "--directory is empty. Check that its variable is set."),
            (StoreChoice(directory: "a", tokenFile: "t"), "--token-file requires --relay: a directory needs no token."),
            (StoreChoice(relay: "nowhere"), "\"nowhere\" is not a relay's URL. Example: https://relay.example.com."),
            (StoreChoice(relay: "ftp://a"), "\"ftp://a\" is not a relay's URL. Example: https://relay.example.com."),
            (StoreChoice(relay: "http://"), "\"http://\" is not a relay's URL. Example: https://relay.example.com."),
            (
                StoreChoice(relay: "https://user:secret@a"),
                "A relay's URL must not contain a user or password. Use --token-file FILE or LIVE_TELEMETRY_TOKEN."
            ),
            (StoreChoice(relay: "https://a/?token=x"), "A relay's URL must not contain a query or a fragment."),
        ])
    func conflicts(choice: StoreChoice, message: String) {
        #expect(choice.conflict == message)
    }

    @Test(
        "Only a token over plain HTTP to another machine is exposed",
        arguments: [
            ("http://relay.example", true), ("https://relay.example", false), ("http://127.0.0.1:8377", false),
            ("http://localhost:1", false), ("http://[::1]:1", false), ("http://127.example.com", true),
        ])
    func exposure(address: String, isExposed: Bool) throws {
        let url = try #require(URL(string: address))
        #expect(RelayLocation(url: url, token: try AccessToken("t", source: "s")).exposesToken == isExposed)
        #expect(!RelayLocation(url: url, token: nil).exposesToken)
    }
}
