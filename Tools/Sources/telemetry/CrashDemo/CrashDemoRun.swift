import Foundation
import TelemetryLogging
import TelemetryModels
import TelemetryTransport
import ViewerKit

/// Runs the demo of a crash: a host whose scenario is off crashes, and no viewer acts.
actor CrashDemoRun {
    private static let scenario = "FileRead"
    private static let shownEvents = 5
    private static let shownBacktraceLines = 8

    private let console: Console
    private let folder: URL
    private let store: DemoStore
    private let scratch: URL
    private let tally: TallyFile
    private var host: HostProcess?
    private var clientId = ""

    init(console: Console, folder: URL, store: DemoStore, scratch: URL) {
        self.console = console
        self.folder = folder
        self.store = store
        self.scratch = scratch
        tally = TallyFile(url: scratch.appendingPathComponent("tally"))
    }

    func perform() async throws {
        do {
            console.line("\(console.style.bold("Crash demo")) over \(folder.path.visible)")
            try await approve()
            try await addRule()
            try await workUnrecorded()
            try await crash()
            try await restart()
            try await read()
            try await end()
        } catch {
            // A host that still writes would recreate files in a directory that is being removed.
            await host?.kill()
            throw error
        }
    }

    private func approve() async throws {
        step("The host starts, with \(Self.scenario) off and kept by its flight recorder")
        let host = try await startHost()
        try await host.send("ask")
        let state = try await report(of: host, "the client's request") { $0.status == "pendingApproval" && $0.client != nil }
        clientId = state.client ?? ""
        _ = try await send(.init(clientId: clientId, action: .enable))
        _ = try await report(of: host, "the approval") { $0.status == "enabled" }
        detail("client \(console.style.bold(clientId.visible)) is approved, process \(host.identifier) \(tick)")
    }

    private func addRule() async throws {
        guard let host else { return }
        step("A viewer adds a rule, and leaves")
        let trigger = TelemetryTrigger(when: try TelemetryQuery("severity:>=error"), action: .capture(lookback: 300))
        let rule = try await store.transport.createRule(
            TelemetryRuleRecord(scenarioName: Self.scenario, issuer: "crash-demo", trigger: trigger))
        detail("telemetry rule add \(Self.scenario) --when '\(trigger.when)' --capture 5m")
        _ = try await report(of: host, "the host to follow the rule") { $0.rules == [rule.ruleId] }
        detail("the host watches its own events for it \(tick)")
    }

    private func workUnrecorded() async throws {
        guard let host else { return }
        step("The host works")
        try await host.send("loop")
        let worked = try await report(of: host, "the host to work") { $0.report == "worked" }
        let stored = try await store.transport.countEvents(matching: .init(clientId: clientId))
        let files = (worked.items ?? 0).grouped
        detail("it reads \(files) files, repeatedly; \(counted(stored, "event")) stored \(mark(stored == 0))")
        guard stored == 0 else { throw ToolFailure(.failed, "Events were stored although no scenario was enabled.") }
    }

    private func crash() async throws {
        guard let host else { return }
        step("It logs an error, and crashes")
        if let relay = await store.relay?.kill() { detail("kill -9 \(relay): the relay is away") }
        try await host.send("crash")
        let status = try await expecting("the host to crash") { try await host.ended() }
        guard status == nil else { throw ToolFailure(.failed, "The host ended with \(status ?? 0) instead of a signal.") }
        detail("process \(host.identifier) has crashed, after \(counted(try loggedNumbers().count, "event")) of \(Self.scenario)")
    }

    private func restart() async throws {
        step("It starts again, and does not work")
        let host = try await startHost()
        if let relay = store.relay { detail("the relay is back, as process \(try await relay.start())") }
        let state = try await report(of: host, "the restarted client to be approved") { $0.status == "enabled" }
        guard state.client == clientId else {
            throw ToolFailure(.failed, "The restarted client is \"\(state.client ?? "")\" instead of \"\(clientId)\".")
        }
        detail("process \(host.identifier) is client \(clientId.visible) again \(tick)")
    }

    /// Reads what the host sent by itself: the end of the session, and the events before it.
    private func read() async throws {
        step("The viewer comes back")
        let events = try await expecting("what the host sends by itself") { try await self.sent() }
        let ends = events.filter { $0.name == TelemetryLogger.sessionEventName }
        let actions = events.filter { $0.name == TelemetryLogger.triggerEventName }
        let captured = events.filter {
            $0.name != TelemetryLogger.sessionEventName && $0.name != TelemetryLogger.triggerEventName
        }
        show(ends, actions, captured)
        try compare(captured)
        guard ends.count == 1, ends.first?.attributes["signal"] == "SIGSEGV", actions.count == 1 else {
            throw ToolFailure(.failed, "The end of the session, or what the rule did, was reported wrongly.")
        }
        console.line("\n\(console.style.green("✓")) The crash and the events before it arrived, although no viewer acted.")
    }

    /// The events in the store, once the end of the session, the report of the rule and the last event before the crash are there.
    private func sent() async throws -> [TelemetryEvent] {
        let last = try loggedNumbers().max() ?? 0
        var events: [TelemetryEvent] = []
        for try await event in store.transport.eventStream(matching: .init(clientId: clientId)) {
            events.append(event)
            let names = Set(events.map(\.name))
            guard names.isSuperset(of: [TelemetryLogger.sessionEventName, TelemetryLogger.triggerEventName]) else { continue }
            if event.number >= last || events.contains(where: { $0.number >= last }) { break }
        }
        return events
    }

    private func show(_ ends: [TelemetryEvent], _ actions: [TelemetryEvent], _ captured: [TelemetryEvent]) {
        for end in ends {
            let session = end.attributes["session"]?.stringValue ?? ""
            detail("session \(session.visible) ended by \(end.attributes["signal"]?.stringValue?.visible ?? "–") \(mark(true))")
            let backtrace = end.attributes["backtrace"]?.stringValue?.split(separator: "\n") ?? []
            for line in backtrace.prefix(Self.shownBacktraceLines) {
                console.line("    " + console.style.dim(String(line).visible))
            }
            if backtrace.isEmpty { detail(console.style.dim("no backtrace was written")) }
        }
        for action in actions {
            let count = action.attributes["captured"]?.intValue ?? 0
            detail("the rule's trigger sent \(counted(Int(count), "event")) at the error \(tick)")
        }
        let rows = EventRows(
            columns: [.time, .scenario, .level, .name, .text], style: console.style, width: console.width.map { $0 - 4 })
        detail("the last of the events before the crash:")
        for event in captured.suffix(Self.shownEvents) { console.line("    " + rows.row(event)) }
    }

    /// Compares the captured events with the end of the crashed host's own count.
    private func compare(_ events: [TelemetryEvent]) throws {
        let unmarked = events.filter { $0.attributes["telemetry.captured"] != true || $0.scenario != Self.scenario }
        let captured = events.map(\.number).sorted()
        // The host counts an event after logging it, so the last ones may not be counted.
        let logged = Set(try loggedNumbers()).union(captured).sorted()
        let isComplete = !captured.isEmpty && captured == Array(logged.suffix(captured.count))
        detail(
            "\(captured.count.grouped) captured events are the last that the crashed host logged \(mark(isComplete)), each once, marked "
                + "telemetry.captured \(mark(unmarked.isEmpty))")
        guard isComplete, unmarked.isEmpty else {
            throw ToolFailure(.failed, "The captured events are not the last that the crashed host logged.")
        }
    }

    private func end() async throws {
        guard let host else { return }
        try await host.send("end")
        let status = try await expecting("the host to end") { try await host.ended() }
        guard status == 0 else { throw ToolFailure(.failed, "The host ended with \(status.map(String.init) ?? "a signal").") }
    }

    // MARK: Shared by the steps

    private func startHost() async throws -> HostProcess {
        let host = try await HostProcess.start(
            arguments: ["--json", "--record", Self.scenario] + store.hostArguments + [
                "--state", scratch.appendingPathComponent("state").path, "--tally", tally.url.path, folder.path,
            ],
            environment: [
                "SWIFT_BACKTRACE":
                    "enable=yes,color=no,interactive=no,threads=crashed,registers=none,images=none,output-to=\(scratch.path)"
            ])
        self.host = host
        _ = try await report(of: host, "the host to start") { $0.report == "ready" }
        return host
    }

    /// The host's next report that satisfies the condition.
    private func report(
        of host: HostProcess, _ what: String, _ isRight: @escaping @Sendable (HostReport) -> Bool
    ) async throws -> HostReport {
        try await expecting(what) { try await host.report(where: isRight) }
    }

    /// Sends a command, waits until it was executed, and returns its result.
    private func send(_ command: TelemetryCommandRecord) async throws -> String {
        switch try await CommandSender(transport: store.transport).send(command, wait: .seconds(60)) {
        case .executed(let answer): return answer.result ?? ""
        case .failed(let answer): throw ToolFailure(.failed, "The command failed: \(answer.errorMessage ?? "")")
        case .unanswered: throw ToolFailure(.failed, "The client did not answer within 60 s.")
        }
    }

    /// The numbers of the scenario's events that the hosts counted.
    private func loggedNumbers() throws -> [Int] {
        try tally.lines().filter { $0.scenario == Self.scenario }.map(\.key.number)
    }

    private func step(_ title: String) { console.line("\n\(console.style.bold("▸ \(title)"))") }
    private func detail(_ text: String) { console.line("  \(text)") }
    private var tick: String { console.style.green("✓") }
    private func mark(_ isRight: Bool) -> String { isRight ? tick : "✗" }
}

extension TelemetryEvent {
    /// The host's number of the event.
    fileprivate var number: Int { Int(attributes["number"]?.intValue ?? 0) }
}
