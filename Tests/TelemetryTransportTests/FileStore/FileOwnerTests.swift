import Foundation
import TelemetryModels
import TelemetrySystem
@_spi(Tooling) import TelemetryTestKit
import TelemetryTransport
import Testing

/// Directories that another user controls.
struct FileOwnerTests {
    private static func error(opening directory: URL, as user: UInt32, _ told: Told) -> TelemetryTransportError? {
        do {
            _ = try FileTelemetryTransport(
                directory: directory, configuration: .init(diagnostics: { told.append($0) }), system: FileSystem(user: user))
        } catch { return error as? TelemetryTransportError }
        return nil
    }

    private static func makeDirectory(_ directory: URL, mode: Int) throws {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: directory.path)
    }

    @Test("A directory that every user may write to is refused and not changed", arguments: [0o777, 0o1777, 0o702])
    func everybody(mode: Int) async throws {
        try await withTemporaryDirectory { directory in
            try Self.makeDirectory(directory, mode: mode)
            let error = Self.error(opening: directory, as: geteuid(), Told())
            #expect(error?.code == .unauthorized)
            #expect(error?.message.contains("chmod 700") == true)
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
            // A directory below it belongs to its owner alone.
            #expect(Self.error(opening: directory.appending(path: "store"), as: geteuid(), Told()) == nil)
        }
    }

    @Test("Another user's directory is refused, except for root, who gets a diagnostic")
    func anotherUser() async throws {
        try await withTemporaryDirectory { directory in
            try Self.makeDirectory(directory, mode: 0o700)
            if geteuid() == 0 { try FileManager.default.setAttributes([.ownerAccountID: 4_711], ofItemAtPath: directory.path) }
            let told = Told()
            let error = Self.error(opening: directory, as: 4_712, told)
            #expect(error?.code == .unauthorized)
            #expect(error?.message.contains("another directory") == true)
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
            #expect(told.all.isEmpty)
            #expect(Self.error(opening: directory, as: 0, told) == nil)
            #expect(told.all.map(\.kind) == [.unexpectedInput])
            #expect(told.all.allSatisfy { $0.message.contains("belongs to the user") })
        }
    }

    @Test("A directory that its group may write to is accepted and reported")
    func group() async throws {
        try await withTemporaryDirectory { directory in
            try Self.makeDirectory(directory, mode: 0o770)
            let told = Told()
            #expect(Self.error(opening: directory, as: geteuid(), told) == nil)
            #expect(told.all.map(\.kind) == [.unexpectedInput])
            #expect(told.all.allSatisfy { $0.message.contains("chmod 700") })
        }
    }
}
