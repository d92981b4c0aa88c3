import Foundation
import TelemetryLifecycle
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTransport

@testable import TelemetryHTTP

/// Hosts and a viewer, a relay that is killed, and a network with all kinds of faults, driven by one seed.
@MainActor
final class NetworkWorld {
    private(set) var violations: [String] = []
    /// The steps so far.
    private(set) var trace: [String] = []
    let relay: RestartableRelay
    let hosts: [NetworkHost]
    /// Sends commands over the same network.
    let viewer: HTTPTelemetryTransport
    let proxy: FaultyProxy
    private var random: SeededGenerator
    private var commandCount = 0
    private var bystander: [TelemetryRecord] = []

    /// Runs the simulation of a seed in a temporary directory and returns its world.
    static func simulated(
        _ seed: UInt64, steps: Int = 40, planting fault: FaultyProxy.PlantedFault? = nil, enablesUnasked: Bool = false
    ) async throws -> NetworkWorld {
        try await withTemporaryDirectory(isCreated: true) { directory in
            let relay = RestartableRelay(database: directory.appending(path: "relay.sqlite"))
            do {
                let world = try await simulated(
                    seed, steps: steps, in: directory, relay, planting: fault, enablesUnasked: enablesUnasked)
                await relay.kill()
                return world
            } catch {
                await relay.kill()
                throw error
            }
        }
    }

    private static func simulated(
        _ seed: UInt64, steps: Int, in directory: URL, _ relay: RestartableRelay, planting fault: FaultyProxy.PlantedFault?,
        enablesUnasked: Bool
    ) async throws -> NetworkWorld {
        try await relay.start()
        let proxy = try FaultyProxy(to: relay, fates: FateSchedule(seed: seed), planted: fault)
        defer { proxy.stop() }
        let world = try NetworkWorld(seed: seed, directory: directory, relay: relay, proxy: proxy)
        try await world.addBystander()
        for host in world.hosts { await host.start() }
        for _ in 0..<steps { try await world.step() }
        if relay.port == nil { try await relay.start() }
        proxy.fates.calm()
        await world.calmDown(enablesUnasked: enablesUnasked)
        try await world.check()
        for host in world.hosts { await host.service.shutdown() }
        return world
    }

    private init(seed: UInt64, directory: URL, relay: RestartableRelay, proxy: FaultyProxy) throws {
        self.relay = relay
        self.proxy = proxy
        random = SeededGenerator(seed: seed)
        let url = try Self.url(proxy.port)
        hosts = (1...2).map { NetworkHost(number: $0, directory: directory, relay: url) }
        viewer = HTTPTelemetryTransport(url: url, credentials: .viewer(token: nil))
    }

    private static func url(_ port: UInt16?) throws -> URL {
        guard let port, let url = URL(string: "http://127.0.0.1:\(port)") else { throw URLError(.badURL) }
        return url
    }

    /// Sends requests of a viewer that is connected to the relay directly, all of them again, up to twice, if one has no answer in
    /// time. They must be idempotent.
    ///
    /// On Linux, Dispatch may lose the events of a connection while others open and close; swift-corelibs-libdispatch's issue 949
    /// describes a similar fault.
    private func direct<Value>(_ requests: (HTTPTelemetryTransport) async throws -> Value) async throws -> Value {
        let viewer = HTTPTelemetryTransport(url: try Self.url(relay.port), credentials: .viewer(token: nil))
        for _ in 0..<2 {
            do {
                return try await requests(viewer)
            } catch let error as TelemetryTransportError where error.cause is DeadlineExceeded {}
        }
        return try await requests(viewer)
    }

    private func addBystander() async throws {
        let event = TelemetryEvent(
            eventId: "of-bystander", clientId: "bystander", sessionId: "s", sequence: 0, name: "e",
            timestamp: Date(timeIntervalSince1970: 1_800_000_000))
        let command = TelemetryCommandRecord(clientId: "bystander", action: .deleteEvents)
        bystander = try await direct { viewer in
            try await viewer.append([event])
            return try await viewer.save([command.toRecord()], policy: .overwrite)
        }
    }

    // MARK: Steps

    private func step() async throws {
        let host = hosts[Int.random(in: 0..<hosts.count, using: &random)]
        switch Int.random(in: 0..<40, using: &random) {
        case 0..<13:
            let scenario = ["A", "V", "Never", nil][Int.random(in: 0..<4, using: &random)]
            for _ in 0..<Int.random(in: 1...20, using: &random) { host.log(scenario) }
        case 13..<19:
            note("\(host.number) flushes")
            await host.flush()
        case 19..<22:
            note("\(host.number) reconciles")
            await host.reconcile()
        case 22..<27:
            note("\(host.number) opts in")
            await host.optIn()
        case 27:
            note("\(host.number) opts out")
            await host.optOut()
        case 28, 29:
            note("\(host.number) restarts")
            await host.restart()
        case 30..<34: await command(.enable, host)
        case 34, 35: await command(.enableScenario, host, scenario: "V")
        case 36: await command(.disableScenario, host, scenario: "V")
        default:
            note(relay.port == nil ? "the relay starts" : "the relay is killed")
            if relay.port == nil { try await relay.start() } else { await relay.kill() }
        }
    }

    /// Sends a command, and repeats it if it failed: if it was stored nevertheless, the error is `.conflict`.
    private func command(_ action: TelemetrySchema.CommandAction, _ host: NetworkHost, scenario: String? = nil) async {
        guard let client = host.client else { return }
        commandCount += 1
        let id = "c\(1_000 + commandCount)"
        let command = TelemetryCommandRecord(
            commandId: id, clientId: client, action: action, scenarioName: scenario)
        note("\(action) \(scenario ?? "") to \(host.number)")
        for _ in 0..<3 where await isSaved(command) { return }
    }

    private func isSaved(_ command: TelemetryCommandRecord) async -> Bool {
        do {
            try await viewer.createCommand(command)
            return true
        } catch { return (error as? TelemetryTransportError)?.code == .conflict }
    }

    /// Lets pending work finish without faults, and sends the viewer's final commands.
    private func calmDown(enablesUnasked: Bool) async {
        note("calm")
        await settle()
        for host in hosts where host.isWanted {
            await command(.enable, host)
            await command(.enableScenario, host, scenario: "V")
            if enablesUnasked { await command(.enableScenario, host, scenario: "Never") }
        }
        await settle()
        for host in hosts {
            if host.isWanted, !host.service.isRecording("V") { violate("\(host.number): approved, and V is off") }
            for scenario in ["V", nil, "Never"] { host.log(scenario) }
        }
        await settle()
    }

    private func settle() async {
        for _ in 0..<3 {
            for host in hosts {
                await host.reconcile()
                await host.flush()
            }
        }
    }

    private func note(_ what: String) { trace.append(what) }

    private func violate(_ what: String) { violations.append(what) }

    // MARK: Invariants

    private func check() async throws {
        let events = try await direct { viewer in
            var events: [TelemetryEvent] = []
            for try await page in viewer.eventPages(limit: 1_000) {
                events += page.events
                if !page.hasMore { break }
            }
            return events
        }
        for host in hosts { check(host, events.filter { host.identifiers.contains($0.clientId ?? "") }) }
        let departed = Set(hosts.flatMap(\.identifiers)).subtracting(hosts.filter(\.isWanted).compactMap(\.client))
        let known = Set(hosts.flatMap(\.identifiers)).union(["bystander"])
        for event in events where !known.contains(event.clientId ?? "") { violate("an event of \(event.clientId ?? "nobody")") }
        for event in events where departed.contains(event.clientId ?? "") { violate("\(event.clientId ?? "") left an event") }
        for client in try await direct({ try await $0.fetchTelemetryClients() }) where departed.contains(client.clientId) {
            violate("\(client.clientId) left its record")
        }
        for scenario in try await direct({ try await $0.fetchScenarios() }) where departed.contains(scenario.clientId) {
            violate("\(scenario.clientId) left a scenario")
        }
        let isUntouched = try await direct { try await $0.record(withID: bystander[0].recordID) } == bystander[0]
        if !isUntouched || events.count(where: { $0.clientId == "bystander" }) != 1 { violate("the bystander was touched") }
    }

    private func check(_ host: NetworkHost, _ events: [TelemetryEvent]) {
        let stored = events.compactMap(\.property1)
        let accepted = host.isWanted ? host.tally.accepted : []
        if Set(stored).count != stored.count { violate("\(host.number): \(stored.count - Set(stored).count) events came twice") }
        let lost = Set(accepted).subtracting(stored)
        if !lost.isEmpty { violate("\(host.number): lost \(lost.sorted())") }
        let unwanted = host.forbidden.intersection(stored)
        if !unwanted.isEmpty { violate("\(host.number): recorded while off: \(unwanted.sorted())") }
        let drops = events.count { $0.name.hasPrefix("telemetry.") }
        if drops > 0 { violate("\(host.number): \(drops) reports of dropped events") }
        for (session, events) in Dictionary(grouping: events, by: \.sessionId)
        where !zip(events, events.dropFirst()).allSatisfy({ $0.sequence < $1.sequence }) {
            violate("\(host.number): session \(session) is out of order")
        }
    }
}
