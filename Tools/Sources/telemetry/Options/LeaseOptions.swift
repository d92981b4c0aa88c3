import ArgumentParser
import Foundation
import TelemetryModels
import ViewerKit

/// The level at which a scenario records, and the duration.
struct LeaseOptions: ParsableArguments {
    @Option(help: "The level to record: info, or diagnostic for everything.")
    var level: LevelArgument?

    @Option(name: .customLong("for"), help: "How long the scenario stays enabled: 90s, 15m, 2h, 1d.")
    var duration: String?

    /// Whether any of these options is given.
    var isGiven: Bool { level != nil || duration != nil }

    func validate() throws { _ = try seconds() }

    /// The lease in seconds; nil for none.
    func seconds() throws -> TimeInterval? {
        guard let duration else { return nil }
        guard let seconds = DurationText.seconds(duration), seconds > 0 else {
            throw ValidationError("--for \"\(duration)\" is not a valid duration. Examples: 90s, 15m, 2h, 1d.")
        }
        return seconds
    }
}
