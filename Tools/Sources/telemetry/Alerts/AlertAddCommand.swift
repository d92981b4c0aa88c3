import ArgumentParser
import Foundation
import TelemetryModels
import ViewerKit

struct AlertAddCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add an alert, or replace the one with this name.",
        usage: "telemetry alert add NAME --where QUERY --webhook WEBHOOK [options]",
        discussion: """
            The relay evaluates it for the events that arrive from then on. It fires at the last of --count events that arrive within \
            --within, and then not before --quiet has passed.

            Example: telemetry alert add errors --where 'severity:>=error' --count 10 --within 5m --quiet 1h --webhook ops
            """)

    @OptionGroup var store: StoreOptions
    @OptionGroup var condition: WhereOption

    @Argument(help: "The name of the alert.")
    var name: String

    @Option(help: "The name of a webhook of the relay.")
    var webhook: String

    @Option(help: "The number of events that make it fire, at most 1000.")
    var count = 1

    @Option(help: "The time within which they arrive: 30s, 10m, at most 1d.")
    var within = "1m"

    @Option(help: "For how long it does not fire again: 10m, 1h, at most 30d.")
    var quiet = "1h"

    @Flag(help: "Add it without evaluating it.")
    var disabled = false

    func validate() throws {
        if condition.text == nil { throw ValidationError("Give the query: --where QUERY.") }
        if !(1...1_000).contains(count) { throw ValidationError("--count must be from 1 to 1000.") }
        _ = (try withinSeconds, try quietSeconds)
    }

    func perform(_ console: Console) async throws {
        let query = try condition.query()?.description ?? ""
        var alert = RelayAlert(
            name: name, query: query, count: count, within: try withinSeconds, webhook: webhook,
            quiet: try quietSeconds)
        alert.isEnabled = !disabled
        try await store.alerts().save(alert)
        console.line("\(console.style.green("✓")) Added alert \(name.visible) for \(webhook.visible).")
    }

    private var withinSeconds: Int { get throws { try Self.seconds(within, "--within", maximum: 86_400) } }
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
