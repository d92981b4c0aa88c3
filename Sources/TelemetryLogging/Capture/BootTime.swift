import TelemetrySystem

/// A point in time within one boot of the device. It does not depend on the wall clock and is the same in all processes.
struct BootTime: Sendable, Equatable {
    let boot: UInt64
    /// Seconds since the boot, including sleep.
    let seconds: Double

    /// The seconds since an earlier time; nil if that one is of another boot, or later.
    func seconds(since earlier: BootTime) -> Double? {
        guard boot == earlier.boot, seconds >= earlier.seconds else { return nil }
        return seconds - earlier.seconds
    }

    /// Returns a clock that starts at the current time and advances with a logger's own clock.
    static func clock(_ time: MonotonicTime) -> @Sendable () -> BootTime {
        let begin = now
        let elapsed = time.elapsed
        return { BootTime(boot: begin.boot, seconds: begin.seconds + elapsed() / .seconds(1)) }
    }

    private static var now: BootTime {
        let elapsed = SystemBoot.elapsed
        return BootTime(boot: currentBoot, seconds: Double(elapsed.seconds) + Double(elapsed.nanoseconds) * 1e-9)
    }

    /// Whether the system identifies the boot. Otherwise times can be compared only within the process.
    static let isIdentified = SystemBoot.identifier.map { !$0.isEmpty } ?? false

    private static let currentBoot: UInt64 = {
        guard isIdentified, let text = SystemBoot.identifier else { return .random(in: .min ... .max) }
        return Array(text.utf8).withByteView { $0.hash(seed: Frame.checksumSeed) }
    }()
}
