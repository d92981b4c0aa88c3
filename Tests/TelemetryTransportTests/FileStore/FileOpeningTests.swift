import Foundation
import TelemetryModels
import TelemetrySystem
@_spi(Tooling) import TelemetryTestKit
import TelemetryTransport
import Testing

struct FileOpeningTests {
    @Test("A missing directory is created with its parents, accessible only to its owner")
    func permissions() async throws {
        try await withTemporaryDirectory { directory in
            let store = directory.appending(path: "a/b/store")
            let transport = try FileTelemetryTransport(directory: store)
            try await transport.append([event(1)])
            try await transport.createTelemetryClient(clientId: "client", isEnabled: true)
            try await transport.createScenarioSubscription()
            for path in try FileManager.default.subpathsOfDirectory(atPath: directory.path) {
                let url = directory.appending(path: path)
                let isDirectory = try url.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true
                #expect(try mode(of: url) == (isDirectory ? 0o700 : 0o600), "\(path)")
            }
        }
    }

    @Test("A path that is not a store is refused with a clear error and not changed")
    func refusals() async throws {
        try await withTemporaryDirectory { directory in
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            let file = directory.appending(path: "file")
            try Data("text".utf8).write(to: file)
            #expect(await code { _ = try FileTelemetryTransport(directory: file) } == .invalidArgument)
            #expect(await code { _ = try FileTelemetryTransport(directory: file.appending(path: "below")) } == .invalidArgument)
            #expect(await code { _ = try FileTelemetryTransport(directory: directory) } == .corrupted)
            #expect(try files(below: directory) == ["file": Data("text".utf8)])
            let url = try #require(URL(string: "https://example.com/store"))
            #expect(await code { _ = try FileTelemetryTransport(directory: url) } == .invalidArgument)
        }
    }

    @Test("A directory with another format is refused and not changed", arguments: [#"{"version":4}"#, "garbage", ""])
    func formats(manifest: String) async throws {
        try await withTemporaryDirectory { directory in
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            try Data(manifest.utf8).write(to: directory.appending(path: "format.json"))
            #expect(await code { _ = try FileTelemetryTransport(directory: directory) } == .corrupted)
            #expect(try files(below: directory) == ["format.json": Data(manifest.utf8)])
        }
    }

    @Test("A store of another version is refused with a message that states both versions, and not changed", arguments: [3, 5])
    func versions(version: Int) async throws {
        try await withTemporaryDirectory { directory in
            let open = try FileTelemetryTransport(directory: directory)
            try await open.append(events(1...3))
            let manifest = directory.appending(path: "format.json")
            let text = try String(contentsOf: manifest, encoding: .utf8)
            #expect(text.hasSuffix(",\"version\":4}\n"))
            try Data(text.replacing("\"version\":4}", with: "\"version\":\(version)}").utf8).write(to: manifest)
            let before = try files(below: directory)
            let error = #expect(throws: TelemetryTransportError.self) { try FileTelemetryTransport(directory: directory) }
            #expect(error?.code == .corrupted)
            #expect(
                error?.message == "\(directory.standardizedFileURL.path) is a store of version \(version); "
                    + "this library reads and writes version 4.")
            #expect(await !open.validateSchema())
            #expect(try files(below: directory) == before)
        }
    }

    @Test("The debug information describes the store, or has the error that makes it unusable")
    func debug() async throws {
        try await withTemporaryDirectory { directory in
            let transport = try FileTelemetryTransport(directory: directory)
            try await transport.append(events(1...3))
            try await transport.createTelemetryClient(clientId: "client", isEnabled: true)
            let info = await transport.debugInfo()
            #expect(info.containerID == directory.standardizedFileURL.path)
            #expect(info.recordCount == 3)
            #expect(info.testQueryResults == 1)
            #expect(info.firstRecordFields == ["clientid", "created", "isEnabled"])
            #expect(info.errorMessage == nil)
            #expect(await transport.validateSchema())
            let closed = try FileTelemetryTransport(
                directory: directory, configuration: .default,
                system: FileSystem { operation, _ in operation == .list ? EACCES : nil })
            #expect(await !closed.validateSchema())
            #expect(await closed.debugInfo().errorMessage != nil)
        }
    }
}
