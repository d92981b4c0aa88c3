import TelemetryModels

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The level and lease that the policy grants to a viewer who turns a scenario on.
struct LeaseGrant: Sendable, Equatable {
    let level: TelemetryLogLevel
    /// In seconds; nil if the scenario stays on until it is turned off.
    let lease: TimeInterval?
    /// What the policy changed, as text for the viewer; nil if it changed nothing.
    let result: String?

    /// - Parameters:
    ///   - level: The requested level; nil for the most detailed one.
    ///   - lease: The requested lease, in seconds; nil for none.
    /// - Throws: ``CommandRefused`` for a lease that is not a positive number of seconds.
    init(level: TelemetryLogLevel?, lease: TimeInterval?, policy: TelemetryPolicy) throws {
        if let lease, !(lease > 0 && lease.isFinite) {
            throw CommandRefused(reason: "The lease must be a positive number of seconds.")
        }
        var notes: [String] = []
        let wantedLevel = level ?? .diagnostic
        self.level = min(wantedLevel, policy.maximumLevel)
        if self.level < wantedLevel { notes.append("level cut to \(self.level.rawValue)") }

        let maximum = policy.maximumLease.map { max($0 / .seconds(1), 0) }
        let byDefault = policy.defaultLease.map { max($0 / .seconds(1), 0) }
        let wantedLease = lease ?? byDefault
        if let maximum, wantedLease.map({ $0 > maximum }) ?? true {
            self.lease = maximum
            notes.append("lease cut to \(Self.text(maximum)) s")
        } else {
            self.lease = wantedLease
            if lease == nil, let wantedLease { notes.append("lease set to \(Self.text(wantedLease)) s") }
        }
        result = notes.isEmpty ? nil : notes.joined(separator: "; ")
    }

    /// When a scenario that is turned on at the given time expires; nil if it does not.
    func expires(from date: Date) -> Date? { lease.map { date.addingTimeInterval($0) } }

    private static func text(_ seconds: TimeInterval) -> String {
        Int64(exactly: seconds).map { "\($0)" } ?? "\(seconds)"
    }
}
