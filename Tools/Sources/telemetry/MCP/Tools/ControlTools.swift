import Foundation
import ModelContext
@_spi(Tooling) import TelemetryModels
import TelemetryTransport
import ViewerKit

/// The tools that send commands. What they turn on ends by itself.
struct ControlTools {
    private static let answerTime = Duration.seconds(10)

    let store: MCPStore

    var all: [MCPTool] { [enableScenario, disableScenario, capture] }

    private static let target = [
        MCPParameter("client", .text, MCPStore.clientHelp, isRequired: true),
        MCPParameter(
            "scenario", .text, "The name of one of the client's scenarios, as list_scenarios shows them.",
            isRequired: true),
    ]

    private static let result: [MCPSchema.Member] = [
        ("summary", .string("What happened.")),
        (
            "status",
            .string(
                "executed; pending: the client has not answered yet; unchanged: the scenario was already on for longer.",
                among: ["executed", "pending", "unchanged"])
        ),
        ("expires", .string("When the scenario is disabled, in ISO 8601.")),
        ("notice", .string("How to treat the answer.")), ("answer", .string("What the app answered.")),
    ]

    private var enableScenario: MCPTool {
        let longest = DurationText.compact(seconds: store.maximumLease)
        return MCPTool(
            name: "enable_scenario", title: "Record a scenario for a while",
            description: """
                Makes an app record a scenario for a limited time, after which it is disabled by itself. The app's user sees it, and who \
                asked for it. It neither shortens nor narrows what is enabled already.
                """,
            parameters: Self.target + [
                MCPParameter(
                    "lease", .duration(1...store.maximumLease),
                    "How long the scenario stays enabled, at most \(longest).", isRequired: true),
                MCPParameter(
                    "level", .choice(["info", "diagnostic"]),
                    "The level to record: info, or diagnostic for everything. Default: diagnostic."),
                MCPParameter(
                    "context", .strings,
                    "Conditions on what the app works on, such as user=4711; only matching events are recorded."),
            ],
            result: Self.result, controls: true
        ) { [self] arguments, progress in
            let lease = arguments.seconds("lease") ?? 0
            let level: TelemetryLogLevel = arguments.text("level") == "info" ? .info : .diagnostic
            let context = try arguments.strings("context").map { text in
                guard let condition = RuleConditionText.contextCondition(text) else {
                    throw ToolFailure(
                        .data, "\"\(text.visible.fitted(to: 80))\" is not a condition. Conditions: \(RuleConditionText.forms).")
                }
                return condition
            }
            let (client, scenario) = try await found(arguments)
            guard try await !hasPendingCommand(scenario) else {
                throw ToolFailure(
                    .failed, "A command for this scenario waits for the app. Call it again when the app has answered.")
            }
            if try alreadyRecords(scenario, level, Set(context), for: lease) { return Self.unchanged(until: scenario.expires) }
            let command = TelemetryCommandRecord(
                clientId: client.clientId, action: .enableScenario, scenarioName: scenario.scenarioName, level: level,
                lease: lease, expires: .now + lease, contextConditions: context)
            return try await send(command, progress, done: "is enabled for \(DurationText.string(seconds: lease))") {
                try await store.transport.fetchScenarios(forClient: client.clientId)
                    .first { $0.scenarioName == scenario.scenarioName && $0.isEnabled }?.expires
            }
        }
    }

    private var disableScenario: MCPTool {
        MCPTool(
            name: "disable_scenario", title: "Stop recording a scenario",
            description: "Makes an app stop recording a scenario, also one that somebody else enabled.",
            parameters: Self.target, result: Self.result, controls: true, isDestructive: true
        ) { [self] arguments, progress in
            let (client, scenario) = try await found(arguments)
            let command = TelemetryCommandRecord(
                clientId: client.clientId, action: .disableScenario, scenarioName: scenario.scenarioName,
                expires: .now + store.maximumLease)
            return try await send(command, progress, done: "is disabled")
        }
    }

    private var capture: MCPTool {
        MCPTool(
            name: "capture", title: "Fetch what was just recorded in memory",
            description: """
                Requests the last events of a scenario from an app's flight recorder, which keeps them in memory while the scenario is \
                disabled. Read them with read_events; they have the attribute telemetry.captured.
                """,
            parameters: Self.target + [
                MCPParameter(
                    "lookback", .duration(1...86_400),
                    "The maximum age of the events. Default: all that the app has kept.")
            ],
            result: Self.result, controls: true
        ) { [self] arguments, progress in
            // The flight recorder may keep scenarios that are not registered, so the client answers whether it knows this one.
            let client = try await store.resolver.client(arguments.text("client") ?? "")
            let command = TelemetryCommandRecord(
                clientId: client.clientId, action: .captureScenario, scenarioName: arguments.text("scenario"),
                expires: .now + store.maximumLease, lookback: arguments.seconds("lookback"))
            return try await send(command, progress, done: "was captured")
        }
    }

    private func found(_ arguments: MCPArguments) async throws -> (TelemetryClientRecord, TelemetryScenarioRecord) {
        let client = try await store.resolver.client(arguments.text("client") ?? "")
        return (client, try await store.resolver.scenario(arguments.text("scenario") ?? "", of: client))
    }

    private func hasPendingCommand(_ scenario: TelemetryScenarioRecord) async throws -> Bool {
        try await store.transport.fetchPendingCommands(for: scenario.clientId).contains {
            $0.scenarioName == scenario.scenarioName && $0.action != .captureScenario && $0.expires.map { $0 > .now } ?? true
        }
    }

    /// Whether a scenario records what is asked for anyway, and for so long.
    /// - Throws: ``ToolFailure`` if enabling it would take away from what is enabled.
    private func alreadyRecords(
        _ scenario: TelemetryScenarioRecord, _ level: TelemetryLogLevel, _ context: Set<TelemetryRuleCondition>,
        for lease: TimeInterval
    ) throws -> Bool {
        guard scenario.isEnabled else { return false }
        let present = Set(scenario.contextConditions)
        let lasts = (scenario.expires ?? .distantFuture) >= .now + lease
        if lasts, scenario.level == .diagnostic || level == .info, present.isEmpty || present == context { return true }
        if !lasts, level == .diagnostic || scenario.level == .info, context.isEmpty || present == context { return false }
        let end = scenario.expires.map { "until \($0.formatted(.iso8601))" } ?? "without an end"
        throw ToolFailure(
            .failed,
            "The scenario is enabled\(scenario.contextConditions.phrase) at the level \(scenario.level.rawValue) \(end). This would shorten or "
                + "narrow that. Ask for at least as much, or ask who enabled it; disable_scenario ends it.")
    }

    private static func unchanged(until end: Date?) -> MCPResult {
        var result = JSONLine()
        result.add(
            "summary", "The scenario is enabled already\(end == nil ? ", without an end" : ", for longer"). Nothing was changed.")
        result.add("status", "unchanged")
        result.add("expires", end)
        return MCPResult(result)
    }

    /// Sends a command and waits for the client's answer.
    private func send(
        _ command: TelemetryCommandRecord, _ progress: MCPProgress, done: String, expiry: () async throws -> Date? = { nil }
    ) async throws -> MCPResult {
        await progress.report(0, 1, "waiting for the app's answer")
        var result = JSONLine()
        let outcome = try await CommandSender(transport: store.transport).send(
            command.issued(by: store.issuer), wait: Self.answerTime)
        switch outcome {
        case .executed(let executed):
            result.add("summary", "The scenario \(done).")
            result.add("status", "executed")
            result.add("expires", try await expiry())
            if let answer = executed.result {
                result.add("notice", MCPEvents.notice)
                result.add("answer", answer)
            }
        case .failed(let failed):
            throw ToolFailure(.failed, CommandText.failure(of: failed, client: failed.clientId.visible.fitted(to: 80)))
        case .unanswered:
            result.add(
                "summary",
                "The app has not answered yet. It executes the command when it next asks for commands, unless that is after the command's "
                    + "end.")
            result.add("status", "pending")
        }
        return MCPResult(result)
    }
}
