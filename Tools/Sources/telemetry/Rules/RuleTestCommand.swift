import ArgumentParser
import Foundation
import Synchronization
import TelemetryModels
import TelemetryTransport
import ViewerKit

struct RuleTestCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Replay the stored events for a trigger: when clients would have acted, and why they did not.",
        usage: """
            telemetry rule test RULE [options]
            telemetry rule test SCENARIO --when FILTER [options]
            """,
        discussion: """
            The events of each approved client that the rule applies to are counted in the order of their times. Only stored events are \
            replayed: what a client's flight recorder kept and the client did not send is not known. A rule is tested as if it were \
            enabled, also after it expired.

            Examples:
              telemetry rule test 3F2A --since 1d
              telemetry rule test Checkout --when 'name:=retry' --count 3 --within 1m --client k7wq
            """)

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: ListOutputOptions

    @Argument(
        help: "A rule's identifier, or an unambiguous prefix of it. With --when, the name of a scenario.",
        completion: Completions.rules)
    var rule: String

    @OptionGroup var trigger: TriggerOptions
    @OptionGroup var conditions: ConditionOptions

    @Option(
        name: .shortAndLong,
        help: "Only this client: an identifier, an unambiguous prefix, an alias, or a pattern with * and ?. May be repeated.",
        completion: Completions.clients)
    var client: [String] = []

    @Option(help: "Only events since this date: 10m, 2026-11-21, \"2026-11-21 14:03\".")
    var since: String?

    func validate() throws {
        if try newTrigger() == nil, !conditions.texts.isEmpty { throw ValidationError("--where requires --when.") }
        _ = try sinceDate()
    }

    func perform(_ console: Console) async throws {
        let transport = try store.open(console)
        let now = Date.now
        var rule = try await testedRule(in: transport)
        guard rule.isReadable, let trigger = rule.trigger else {
            let reason = rule.isReadable ? "has no trigger" : "has values that this version cannot read"
            throw ToolFailure(.data, "Rule \(rule.ruleId.visible) \(reason), so there is nothing to test.")
        }
        (rule.isEnabled, rule.expires) = (true, nil)
        let unknown = rule.conditions.filter { !$0.isKnownToViewers }
        if !unknown.isEmpty {
            rule.conditions.removeAll { !$0.isKnownToViewers }
            let texts = unknown.map(RuleConditionText.string).joined(separator: " and ").visible
            console.note("Not evaluated, because only clients know the attribute: \(texts).")
        }
        let selected = client.isEmpty ? nil : try await store.resolver(over: transport).clients(client).identifiers
        let clients = try await transport.fetchTelemetryClients().filter { client in
            rule.reaches(client, now: now) && selected?.contains(client.clientId) ?? true
        }.map(\.clientId).sorted()
        guard !clients.isEmpty else {
            return console.note(
                "The rule applies to no approved client\(selected == nil ? "" : " of those that --client selects").")
        }
        let listing = ReplayListing(
            try await replays(of: trigger, on: rule.scenarioName, for: clients, over: transport, console), of: trigger,
            aliases: try store.aliases())
        switch output.format {
        case .json: listing.objects.forEach { console.line($0.text) }
        case .table:
            console.line("\(rule.scenarioName.visible): \(TriggerText.string(trigger).visible)")
            show(listing, console)
        }
        console.note("Only stored events were replayed. What a client kept and did not send is not known.")
    }

    private func newTrigger() throws -> TelemetryTrigger? {
        // Without --enable, the action does not decide when a client acts.
        try trigger.trigger(defaultAction: .capture(lookback: nil))
    }

    private func sinceDate() throws -> Date? { try since.map { try SelectionOptions.date($0, "--since") } }

    private func testedRule(in transport: any TelemetryTransporting) async throws -> TelemetryRuleRecord {
        guard let trigger = try newTrigger() else { return try await RuleArgument.find(rule, in: transport) }
        let aliases = try store.aliases()
        return TelemetryRuleRecord(
            scenarioName: rule, conditions: try conditions.parsed().map { $0.resolving(aliases) }, trigger: trigger)
    }

    private func replays(
        of trigger: TelemetryTrigger, on scenario: String, for clients: [String], over transport: any TelemetryEventTransport,
        _ console: Console
    ) async throws -> [(clientId: String, result: TriggerReplay.Result)] {
        let since = try sinceDate()
        let read = Mutex(0)
        var replays: [(clientId: String, result: TriggerReplay.Result)] = []
        try await console.withProgress({ "\(counted(read.withLock(\.self), "event")) read" }) {
            for clientId in clients {
                var replay = TriggerReplay(of: trigger, on: scenario)
                let reader = EventReader(transport: transport, filter: TelemetryEventFilter(clientId: clientId, since: since))
                _ = try await reader.read(after: nil, following: false) { page in
                    for event in page.events { try replay.add(event) }
                    read.withLock { $0 += page.events.count }
                    return true
                }
                replays.append((clientId, replay.result()))
            }
        }
        return replays
    }

    private func show(_ listing: ReplayListing, _ console: Console) {
        for table in [listing.actions, listing.clients].compactMap(\.self) {
            table.lines(style: console.style, width: console.width).forEach(console.line)
            console.line()
        }
        listing.explanations.forEach(console.line)
        console.line(listing.summary)
    }
}
