import Foundation
import Testing

@testable import TelemetryRelay

struct AccessStorageTests {
    private static let start = Date(timeIntervalSince1970: 1_795_248_000)

    private static func hash(_ number: UInt8) -> Data { Data(repeating: number, count: 32) }

    @Test("A token is found by its hash, with its last use and its revocation", arguments: StorageDriver.all)
    func tokens(driver: StorageDriver) async throws {
        try await StorageBench.open(driver) { storage in
            #expect(try await !storage.tokens.hasTokens())
            let token = RelayToken(name: "t\u{e9}", role: .host, created: Self.start, expires: Self.start + 10)
            try await storage.tokens.create(token, hash: Self.hash(1))
            #expect(try await storage.tokens.hasTokens())
            #expect(try await storage.tokens.token(hash: Self.hash(1)) == token)
            #expect(try await storage.tokens.token(hash: Self.hash(2)) == nil)
            #expect(token.isValid(at: Self.start + 9) && !token.isValid(at: Self.start + 10))
            storage.tokens.noteUse(ofTokenNamed: token.name, at: Self.start + 5)
            storage.tokens.noteUse(ofTokenNamed: token.name, at: Self.start + 3)
            #expect(try await storage.tokens.all().map(\.lastUsed) == [Self.start + 5])
            #expect(try await !storage.tokens.revoke(named: "other", at: Self.start))
            #expect(try await storage.tokens.revoke(named: "te\u{301}", at: Self.start + 6))
            #expect(try await storage.tokens.revoke(named: token.name, at: Self.start + 7))
            let revoked = try #require(try await storage.tokens.token(hash: Self.hash(1)))
            #expect(revoked.revoked == Self.start + 6 && !revoked.isValid(at: Self.start))
            await #expect(throws: RelayStorageError.nameInUse("te\u{301}")) {
                try await storage.tokens.create(.init(name: "te\u{301}", role: .viewer, created: Self.start), hash: Self.hash(3))
            }
            #expect(try await storage.tokens.hasTokens())
        }
    }

    @Test("Tokens, their last use and client keys persist across a restart", arguments: StorageDriver.persistent)
    func restart(driver: StorageDriver) async throws {
        try await StorageBench.run(driver) { bench in
            try await bench.open { storage in
                try await storage.tokens.create(.init(name: "b", role: .reader, created: Self.start), hash: Self.hash(1))
                try await storage.tokens.create(.init(name: "a", role: .viewer, created: Self.start), hash: Self.hash(2))
                storage.tokens.noteUse(ofTokenNamed: "a", at: Self.start + 5)
                _ = try await storage.clientKeys.bind([.init(clientId: "c", hash: Self.hash(3))])
            }
            try await bench.open { storage in
                let tokens = try await storage.tokens.all()
                #expect(tokens.map(\.name) == ["a", "b"])
                #expect(tokens.map(\.lastUsed) == [Self.start + 5, nil])
                #expect(try await storage.tokens.hasTokens())
                #expect(
                    try await storage.clientKeys.bind([.init(clientId: "c", hash: Self.hash(4))]) == .refused(clientId: "c"))
            }
        }
    }

    @Test("The first key for an identifier is bound; several keys are bound all or none", arguments: StorageDriver.all)
    func keys(driver: StorageDriver) async throws {
        try await StorageBench.open(driver) { storage async throws in
            func claim(_ keys: [(String, UInt8)]) async throws -> RelayKeyBinding {
                try await storage.clientKeys.bind(keys.map { RelayClientKey(clientId: $0, hash: Self.hash($1)) })
            }
            #expect(try await claim([("a", 1)]) == .bound(new: 1))
            #expect(try await claim([("a", 1)]) == .bound(new: 0))
            #expect(try await claim([("a", 2)]) == .refused(clientId: "a"))
            #expect(try await claim([("b", 2), ("a", 2)]) == .refused(clientId: "a"))
            #expect(try await storage.clientKeys.unbound(among: ["b", "a"]) == ["b"])
            #expect(try await claim([("a", 1), ("b", 2), ("\u{e9}", 3)]) == .bound(new: 2))
            #expect(try await claim([("e\u{301}", 3)]) == .bound(new: 0))
            #expect(try await claim([("d", 4), ("d", 5)]) == .refused(clientId: "d"))
            #expect(try await claim([("d", 4), ("d", 4)]) == .bound(new: 1))
        }
    }

    @Test("Exactly one of two concurrent keys for one identifier is bound", arguments: StorageDriver.all)
    func race(driver: StorageDriver) async throws {
        try await StorageBench.open(driver) { storage in
            let bindings = try await withThrowingTaskGroup(of: RelayKeyBinding.self) { group in
                for number in 0..<20 {
                    group.addTask {
                        try await storage.clientKeys.bind([.init(clientId: "c", hash: Self.hash(UInt8(number)))])
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(bindings.filter { $0 == .bound(new: 1) }.count == 1)
            #expect(bindings.filter { $0 == .refused(clientId: "c") }.count == 19)
        }
    }
}
