import ArgumentParser
import Foundation
import TelemetryModels
import ViewerKit

struct AlertAddCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add an alert, or replace the one with this name.",
        usage: """
            telemetry alert add NAME --where QUERY --webhook WEBHOOK [options]
            telemetry alert add NAME --silence TIME --webhook WEBHOOK [options]
            """,
        discussion: """
            With --where, the relay evaluates the events that arrive from then on. The alert fires at the last of --count events that \
            arrive within --within, and then not before --quiet has passed.

            With --silence, it fires when an approved client was not seen for that time: no request, and no open stream. It fires once \
            for each silence of a client, for several clients in one message.

            Examples:
              telemetry alert add errors --where 'severity:>=error' --count 10 --within 5m --quiet 1h --webhook ops
              telemetry alert add down --silence 10m --clients 'till-*' --webhook ops
            """)

    @OptionGroup var store: StoreOptions
    @OptionGroup var condition: WhereOption

    @Argument(help: "The name of the alert.")
    var name: String

    @Option(help: "The name of a webhook of the relay.")
    var webhook: String

    @Option(help: "The number of events that make it fire, at most 1000. (default: 1)")
    var count: Int?

    @Option(help: "The time within which they arrive: 30s, 10m, at most 1d. (default: 1m)")
    var within: String?

    @Option(help: ArgumentHelp("For how long a client is not seen: 10m, 1d, at most 30d.", valueName: "time"))
    var silence: String?

    @Option(help: ArgumentHelp("The clients of --silence, with * for any characters. (default: *)", valueName: "pattern"))
    var clients: String?

    @Option(help: "For how long it does not fire again: 10m, 1h, at most 30d.")
    var quiet = "1h"

    @Flag(help: "Add it without evaluating it.")
    var disabled = false

    func validate() throws {
        switch (condition.text, silence) {
        case (nil, nil): throw ValidationError("Give the query, or a silence: --where QUERY, or --silence TIME.")
        case (.some, .some): throw ValidationError("Give either --where or --silence.")
        case (.some, nil): if clients != nil { throw ValidationError("--clients is for --silence.") }
        case (nil, .some):
            if count != nil || within != nil { throw ValidationError("--count and --within are for --where.") }
        }
        if let count, !(1...1_000).contains(count) { throw ValidationError("--count must be from 1 to 1000.") }
        _ = (try alertCondition(), try quietSeconds)
    }

    func perform(_ console: Console) async throws {
        var alert = RelayAlert(
            name: name, condition: try alertCondition(), webhook: webhook, quiet: try quietSeconds)
        alert.isEnabled = !disabled
        try await store.alerts().save(alert)
        console.line("\(console.style.green("✓")) Added alert \(name.visible) for \(webhook.visible).")
    }

    private func alertCondition() throws -> RelayAlert.Condition {
        if let silence {
            return .silence(
                seconds: try Self.seconds(silence, "--silence", maximum: 30 * 86_400), clients: clients ?? "*")
        }
        return .events(
            query: try condition.query()?.description ?? "", count: count ?? 1,
            within: try Self.seconds(within ?? "1m", "--within", maximum: 86_400))
    }

    private var quietSeconds: Int { get throws { try Self.seconds(quiet, "--quiet", maximum: 30 * 86_400) } }

    private static func seconds(_ text: String, _ option: String, maximum: Int) throws -> Int {
        guard let seconds = DurationText.seconds(text).flatMap({ Int(exactly: $0) }), (1...maximum).contains(seconds) else {
            throw ValidationError(
                "\(option) \"\(text)\" is not a valid duration from 1s to \(DurationText.compact(seconds: Double(maximum))). "
                    + "Examples: 90s, 15m, 2h.")
        }
        return seconds
    }
}
