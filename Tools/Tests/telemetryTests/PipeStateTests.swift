import Foundation
@_spi(Tooling) import TelemetryTestKit
import Testing
import ViewerKit

@testable import telemetry

struct PipeStateTests {
    private func directory(
        _ name: String, of store: String = "/store", in folder: URL
    ) async throws -> String {
        let state = try await PipeState(
            name: name, store: .directory(StoreDirectory(path: store)), environment: ["XDG_STATE_HOME": folder.path])
        return state.directory.lastPathComponent
    }

    @Test(
        "Canonically equivalent names are the same pipe",
        arguments: [("é", "e\u{301}"), ("\u{1B}", "\u{1B}"), ("q\u{307}\u{323}", "q\u{323}\u{307}")])
    func spellings(one: String, other: String) async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let first = try await directory(one, in: folder)
            #expect(try await directory(other, in: folder) == first)
        }
    }

    @Test(
        "Different names are different pipes, also on a case-insensitive file system",
        arguments: [
            ("a", "A"), ("a/b", "a_b"), ("\u{10041}\u{301}", "\u{C1}"), ("a.b", "a b"), (String(repeating: "x", count: 400), "x"),
        ])
    func differences(one: String, other: String) async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let first = try await directory(one, in: folder)
            let second = try await directory(other, in: folder)
            #expect(first.lowercased() != second.lowercased())
            #expect(first.utf8.count < 256 && second.utf8.count < 256)
        }
    }

    @Test("The state depends on the store, not on the path by which it is opened")
    func stores() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let store = folder.appendingPathComponent("store")
            try FileManager.default.createDirectory(at: store, withIntermediateDirectories: true)
            let link = folder.appendingPathComponent("link")
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: store)
            let direct = try await directory("a", of: store.path, in: folder)
            #expect(try await directory("a", of: link.path, in: folder) == direct)
            #expect(try await directory("a", of: folder.path, in: folder) != direct)
        }
    }

    @Test("Pipes of one name that run at the same time have different states, and a restart has the same one")
    func instances() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            func state() async throws -> PipeState {
                try await PipeState(
                    name: "a", store: .directory(StoreDirectory(path: "/store")), environment: ["XDG_STATE_HOME": folder.path])
            }
            var first: PipeState? = try await state()
            let second = try await state()
            let path = first?.directory.path
            #expect(path != second.directory.path)
            first = nil
            let restarted = try await state()
            let third = try await state()
            #expect(restarted.directory.path == path)
            #expect(Set([path, second.directory.path, third.directory.path]).count == 3)
        }
    }

    @Test("The state depends on the relay")
    func relays() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            var names: Set<String> = []
            for address in ["http://a.example", "https://a.example", "http://a.example/b"] {
                let relay = RelayLocation(url: try #require(URL(string: address)), token: nil)
                let state = try await PipeState(
                    name: "a", store: .relay(relay), environment: ["XDG_STATE_HOME": folder.path])
                names.insert(state.directory.lastPathComponent)
            }
            #expect(names.count == 3)
        }
    }

    @Test("A name that is too long is rejected with a message")
    func tooLong() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let name = String(repeating: "x", count: 1_025)
            await #expect(throws: ToolFailure.self) { _ = try await directory(name, in: folder) }
            let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(left.isEmpty)
        }
    }
}
