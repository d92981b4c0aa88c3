import Foundation
@_spi(Tooling) import TelemetryTestKit
import Testing

@testable import ViewerKit

struct ContextStoreTests {
    private let configuration = TemporaryDirectory()
    private var store: ContextStore { ContextStore(environment: ["XDG_CONFIG_HOME": configuration.url.path]) }

    private func mode(_ url: URL) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
    }

    private func write(_ text: String, to url: URL, mode: Int) throws {
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        #expect(
            FileManager.default.createFile(
                atPath: url.path, contents: Data(text.utf8), attributes: [.posixPermissions: mode]))
        // The mode of a new file depends on the process's mask.
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: url.path)
    }

    @Test("Contexts are stored, and only their owner can access their files and directory")
    func roundTrip() throws {
        #expect(try store.read() == ContextStore.Contexts())
        #expect(!FileManager.default.fileExists(atPath: store.directory.path))
        let prod = StoreContext(name: "prod", relay: "https://relay.example.com", tokenFile: "/etc/token")
        try store.add(prod, replacing: false)
        try store.add(StoreContext(name: "here", directory: "/srv/telemetry"), replacing: false)
        try store.use("prod")
        let read = try store.read()
        #expect(read.current == "prod")
        #expect(read.contexts.map(\.name) == ["prod", "here"])
        #expect(try store.context(named: "prod") == prod)
        #expect(try mode(store.directory) == 0o700)
        for file in try FileManager.default.contentsOfDirectory(at: store.directory, includingPropertiesForKeys: nil) {
            #expect(try mode(file) == 0o600, "\(file.lastPathComponent)")
        }
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: store.directory.path).sorted() == ["contexts.json", "lock"])
    }

    @Test("The directory is in XDG_CONFIG_HOME, otherwise in the home directory")
    func directory() {
        #expect(ContextStore(environment: ["XDG_CONFIG_HOME": "/x"]).directory.path == "/x/live-telemetry")
        #expect(
            ContextStore(environment: ["XDG_CONFIG_HOME": "relative", "HOME": "/home/a"]).directory.path
                == "/home/a/.config/live-telemetry")
    }

    @Test("A directory that others could enter is restricted when a context is written")
    func restricted() throws {
        try FileManager.default.createDirectory(
            at: store.directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        try store.add(StoreContext(name: "a", directory: "/a"), replacing: false)
        #expect(try mode(store.directory) == 0o700)
    }

    @Test("A token is stored in a separate file, and removed with its context")
    func storedToken() throws {
        let token = try AccessToken("secret-token\n", source: "standard input")
        try store.add(StoreContext(name: "prod", relay: "http://127.0.0.1:1"), token: token, replacing: false)
        let file = try #require(try store.context(named: "prod").tokenFile)
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "secret-token\n")
        #expect(try mode(URL(fileURLWithPath: file)) == 0o600)
        let contexts = try String(contentsOf: store.directory.appendingPathComponent("contexts.json"), encoding: .utf8)
        #expect(!contexts.contains("secret-token"))
        #expect(try store.remove("prod") == false)
        #expect(!FileManager.default.fileExists(atPath: file))
    }

    @Test("Replacing a context that had a stored token removes the token")
    func replacedToken() throws {
        let context = StoreContext(name: "prod", relay: "http://127.0.0.1:1")
        try store.add(context, token: try AccessToken("a", source: "test"), replacing: false)
        let file = try #require(try store.context(named: "prod").tokenFile)
        #expect(throws: ToolFailure.self) { try store.add(context, replacing: false) }
        #expect(FileManager.default.fileExists(atPath: file))
        try store.add(context, replacing: true)
        #expect(!FileManager.default.fileExists(atPath: file))
        #expect(try store.context(named: "prod").tokenFile == nil)
    }

    @Test("Removing the current context leaves no current context")
    func removal() throws {
        try store.add(StoreContext(name: "a", directory: "/a"), replacing: false)
        try store.use("a")
        #expect(try store.remove("a"))
        #expect(try store.read() == ContextStore.Contexts())
        #expect(throws: ToolFailure(.notFound, "No context \"a\". There are no contexts; see: telemetry context add --help")) {
            try store.remove("a")
        }
    }

    @Test("Invalid names are refused", arguments: ["", "a/b", "../a", ".a", "-a", "a b", "ä", String(repeating: "a", count: 65)])
    func names(name: String) throws {
        #expect(throws: ToolFailure.self) { try store.add(StoreContext(name: name, directory: "/a"), replacing: true) }
    }

    @Test("Names that differ only in case are equal")
    func caseInsensitive() throws {
        try store.add(StoreContext(name: "prod", directory: "/a"), replacing: false)
        #expect(throws: ToolFailure.self) {
            try store.add(StoreContext(name: "Prod", directory: "/b"), replacing: true)
        }
    }

    @Test("A damaged file and a newer one are reported and left unchanged", arguments: ["{", #"{"version":2,"contexts":[]}"#])
    func damaged(text: String) throws {
        let file = store.directory.appendingPathComponent("contexts.json")
        try write(text, to: file, mode: 0o600)
        #expect(throws: ToolFailure.self) { try store.read() }
        #expect(throws: ToolFailure.self) { try store.use("a") }
        #expect(try String(contentsOf: file, encoding: .utf8) == text)
    }

    @Test("A file that others can change is refused")
    func foreignChanges() throws {
        let file = store.directory.appendingPathComponent("contexts.json")
        try write(#"{"version":1,"contexts":[]}"#, to: file, mode: 0o622)
        let error = #expect(throws: ToolFailure.self) { try store.read() }
        #expect(error?.code == .noPermission)
        #expect(error?.message.contains("chmod 600 \(file.path)") == true)
    }

    @Test("A token file that others can read is refused", arguments: [0o604, 0o640, 0o644, 0o620])
    func tokenFileMode(mode: Int) throws {
        let file = store.directory.appendingPathComponent("token")
        try write("secret", to: file, mode: mode)
        #expect(
            throws: ToolFailure(
                .noPermission,
                "Other users of this machine can access the token file \(file.path), so it was not used. "
                    + "Run: chmod 600 \(file.path)")
        ) { try AccessToken(file: file.path) }
        try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: file.path)
        #expect(try AccessToken(file: file.path).value == "secret")
    }

    @Test(
        "A token file without a token is refused",
        arguments: ["", "\n", "two words", "k\u{E9}y", String(repeating: "a", count: 20_000)])
    func tokenFileContents(text: String) throws {
        let file = store.directory.appendingPathComponent("token")
        try write(text, to: file, mode: 0o600)
        let error = #expect(throws: ToolFailure.self) { try AccessToken(file: file.path) }
        #expect(error?.code == .data)
        #expect(throws: ToolFailure.self) { try AccessToken(file: store.directory.path) }
    }

    @Test("A description of a token does not contain it")
    func secrecy() throws {
        let token = try AccessToken("s3cret", source: "here")
        var dumped = ""
        dump(RelayLocation(url: try #require(URL(string: "http://a")), token: token), to: &dumped)
        #expect(!"\(token) \(String(reflecting: token)) \(dumped)".contains("s3cret"))
    }
}
