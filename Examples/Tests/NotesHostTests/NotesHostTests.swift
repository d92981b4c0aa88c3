import Foundation
import Programs
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
@_spi(Tooling) import TelemetryTestSupport
import TelemetryTransport
import Testing

struct NotesHostTests {
    private let directory = TemporaryDirectory()
    private var folder: URL { directory.url }

    @Test("The example opts in, follows commands and overrides, logs events, keeps them on a signal, and deletes them on 'end'")
    func story() async throws {
        let arguments = [folder.appending(path: "store").path, folder.appending(path: "notes.txt").path]
        let host = try await NotesHost(arguments, in: folder)
        #expect(
            await host.line(with: "[telemetry disabled")?.contains("DataSync off, NetworkRequests off, UserInteraction off")
                == true)
        try await host.type("note nobody sees this one")
        try await host.type("agree")
        #expect(await host.line(with: "[telemetry pendingApproval, client ") != nil)
        let viewer = try FileTelemetryTransport(directory: folder.appending(path: "store"))
        let client = try #require(try await viewer.fetchTelemetryClients().first)
        try await viewer.createCommand(.init(clientId: client.clientId, action: .enable))
        #expect(await host.line(with: "[telemetry enabled") != nil)
        try await viewer.createCommand(
            .init(clientId: client.clientId, action: .enableScenario, scenarioName: "UserInteraction"))
        #expect(await host.line(with: "UserInteraction on") != nil)
        try await host.type("on DataSync")
        #expect(await host.line(with: "DataSync on") != nil)
        var arrivals = viewer.eventStream().makeAsyncIterator()
        try await host.type("note hello")
        try await host.type("sync")
        try await host.type("off DataSync")
        #expect(await host.line(with: "DataSync off") != nil)
        try await host.type("agree")
        for (name, scenario) in [
            ("note.added", "UserInteraction"), ("sync.started", "DataSync"), ("sync.finished", "DataSync"),
        ] {
            let event = try #require(try await arrivals.next())
            #expect((event.name, event.scenario) == (name, scenario))
        }
        #expect(try String(contentsOf: folder.appending(path: "notes.txt"), encoding: .utf8) == "nobody sees this one\nhello\n")
        #expect(try await host.end(by: SIGTERM) == .exited(0))
        #expect(await host.line(with: "[telemetry idle") != nil, "the service has ended, not only its logger")
        #expect(try await viewer.fetchScenarios().count == 3, "a signal keeps everything")
        #expect(try await viewer.countEvents(matching: .init()) == 3)
        #expect(try await viewer.fetchTelemetryClients().map(\.isEnabled) == [true])

        let next = try await NotesHost(arguments, in: folder)
        #expect(await next.line(with: "[telemetry enabled, client \(client.clientId)") != nil)
        try await next.type("end")
        #expect(try await next.end() == .exited(0))
        #expect(try await viewer.fetchScenarios().isEmpty)
        #expect(try await viewer.countEvents(matching: .init()) == 0)
        #expect(try await viewer.fetchTelemetryClients().map(\.isEnabled) == [true])
    }

    @Test("The user sees what is recorded and sent, forbids and allows a scenario, and pauses")
    func overview() async throws {
        let host = try await NotesHost(
            [folder.appending(path: "store").path, folder.appending(path: "notes.txt").path], in: folder)
        try await host.type("agree")
        #expect(await host.line(with: "[telemetry pendingApproval, client ") != nil)
        let viewer = try FileTelemetryTransport(directory: folder.appending(path: "store"))
        let client = try #require(try await viewer.fetchTelemetryClients().first)
        #expect(client.lastSeen != nil && client.libraryVersion != nil)
        try await viewer.createCommand(.init(clientId: client.clientId, action: .enable, issuer: "Anna"))
        #expect(await host.line(with: "[telemetry enabled") != nil)
        try await viewer.createCommand(
            .init(
                clientId: client.clientId, action: .enableScenario, scenarioName: "UserInteraction", level: .info, lease: 3_600))
        #expect(await host.line(with: "UserInteraction on") != nil)
        var arrivals = viewer.eventStream().makeAsyncIterator()
        try await host.type("note hello")
        #expect(try await arrivals.next()?.name == "note.added")
        try await host.type("overview")
        #expect(await host.line(with: "telemetry: enabled, client \(client.clientId)") != nil)
        #expect(await host.line(with: "DataSync: off") != nil)
        #expect(
            await host.line(with: "UserInteraction: ")?
                .contains(/on, info events, requested by a viewer, ends in 3[0-9]{3} s/) == true)
        #expect(await host.line(with: ": a viewer: enableScenario UserInteraction") != nil)
        #expect(await host.line(with: ": Anna: enable") != nil)
        #expect(await host.line(with: "sent today: ") != nil)
        try await viewer.createCommand(
            .init(clientId: client.clientId, action: .enableScenario, scenarioName: "DataSync", lease: 1e20))
        #expect(await host.line(with: "DataSync on") != nil)
        try await host.type("overview")
        #expect(await host.line(with: "DataSync: on")?.contains("ends in very many s") == true)
        try await host.type("forbid UserInteraction")
        #expect(await host.line(with: "UserInteraction off") != nil)
        try await host.type("status")
        #expect(await host.line(with: "UserInteraction: forbidden") != nil)
        try await host.type("allow UserInteraction")
        #expect(await host.line(with: "UserInteraction on") != nil)
        try await host.type("pause")
        try await host.type("overview")
        #expect(await host.line(with: "paused by this program") != nil)
        #expect(try await viewer.fetchTelemetryClients().map(\.isPaused) == [true])
        try await host.type("resume")
        try await host.type("overview")
        #expect(await host.line(with: "telemetry: enabled") != nil)
        #expect(try await viewer.fetchTelemetryClients().map(\.isPaused) == [false])
        try await host.type("quit")
        #expect(try await host.end() == .exited(0))
    }

    @Test("Over a relay the example sends its token, its client and its key", arguments: [true, false])
    func relay(hasTokenFile: Bool) async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let relay = try LoopbackServer(.hangsUp)
        var arguments = ["--relay", relay.baseURL.absoluteString, folder.appending(path: "notes.txt").path]
        var environment: [String: String] = [:]
        if hasTokenFile {
            let file = folder.appending(path: "token")
            try Data("host-token\n".utf8).write(to: file)
            arguments += ["--token-file", file.path]
        } else {
            environment["LIVE_TELEMETRY_TOKEN"] = "host-token"
        }
        let host = try await NotesHost(arguments, in: folder, environment: environment)
        #expect(await host.line(with: "[telemetry disabled") != nil)
        try await host.type("agree")
        let request = try #require(await relay.nextRequest())
        #expect(request.header("Authorization") == "Bearer host-token")
        #expect(request.header("Telemetry-Client")?.wholeMatch(of: /[a-z0-9]+/) != nil)
        #expect(request.header("Telemetry-Client-Key")?.wholeMatch(of: /[0-9a-f]{64}/) != nil)
        let secret = folder.appending(path: "state/notes-host/relay-secret")
        #expect(FileManager.default.fileExists(atPath: secret.path))
        try await host.type("quit")
        #expect(try await host.end() == .exited(0))
    }

    @Test(
        "Options that do not fit together are refused",
        arguments: [
            ["--token-file", "token"], ["--relay", "relay.example.com"], ["--relay", "http://127.0.0.1:1", "notes", "more"],
            ["store", "notes", "more"],
        ])
    func usage(arguments: [String]) async throws {
        let host = try await NotesHost(arguments, in: folder)
        #expect(await host.error(with: "Error: ") != nil)
        #expect(try await host.end() == .exited(64))
    }
}
