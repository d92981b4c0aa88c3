import ArgumentParser
import Foundation
import TelemetryModels
import ViewerKit

/// The options that describe a rule's trigger.
struct TriggerOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: "The clients act by themselves on events that match this query, such as 'severity:>=error'.",
        completion: Completions.queries)
    var when: String?

    @Option(help: "How many matching events cause an action. Default: 1.")
    var count: Int?

    @Option(help: "The period within which they are logged: 90s, 5m. Default: 1m.")
    var within: String?

    @Option(
        help: "Send the scenario's events that the flight recorder kept, up to this age: 90s, 5m, or all.")
    var capture: String?

    @Option(help: "Enable the scenario for this duration: 90s, 15m.")
    var enable: String?

    @Option(help: "The maximum number of actions in a period. Default: 1/1h.")
    var limit: String?

    /// The trigger; nil without --when.
    /// - Parameter defaultAction: The action if no option has one; nil requires an option.
    func trigger(defaultAction: TelemetryTrigger.Action? = nil) throws -> TelemetryTrigger? {
        guard let when else {
            let others = [
                ("--count", count != nil), ("--within", within != nil), ("--capture", capture != nil),
                ("--enable", enable != nil),
                ("--limit", limit != nil),
            ]
            if let other = others.first(where: { $0.1 }) { throw ValidationError("\(other.0) requires --when.") }
            return nil
        }
        guard let action = try action() ?? defaultAction else {
            throw ValidationError("--when requires --capture or --enable, which say what the clients do.")
        }
        var trigger = TelemetryTrigger(when: try QueryText.filter(when), action: action)
        if let count {
            guard Self.counts.contains(count) else {
                throw ValidationError("--count \(count) is not a number from 1 to \(TelemetryTrigger.maximumCount.grouped).")
            }
            trigger.count = count
        }
        if let within { trigger.within = try Self.seconds(within, "--within") }
        if let limit { (trigger.limit, trigger.per) = try Self.limit(limit) }
        return trigger
    }

    private func action() throws -> TelemetryTrigger.Action? {
        switch (capture, enable) {
        case (nil, nil): return nil
        case ("all", nil): return .capture(lookback: nil)
        case (let capture?, nil): return .capture(lookback: try Self.seconds(capture, "--capture"))
        case (nil, let enable?): return .enable(lease: try Self.seconds(enable, "--enable"))
        default: throw ValidationError("Give either --capture or --enable.")
        }
    }

    private static let counts = 1...TelemetryTrigger.maximumCount

    private static func limit(_ text: String) throws -> (count: Int, seconds: TimeInterval) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let count = Int(parts[0]), counts.contains(count), let seconds = DurationText.seconds(parts[1]),
            seconds > 0
        else {
            throw ValidationError(
                "--limit \"\(text)\" is not a number from 1 to \(TelemetryTrigger.maximumCount.grouped), a slash and a duration. "
                    + "Examples: 1/1h, 10/1d.")
        }
        return (count, seconds)
    }

    private static func seconds(_ text: String, _ option: String) throws -> TimeInterval {
        guard let seconds = DurationText.seconds(text), seconds > 0 else {
            throw ValidationError("\(option) \"\(text)\" is not a valid duration. Examples: 90s, 5m, 2h.")
        }
        return seconds
    }
}
