import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

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
        var time = timespec()
        // The system writes to `time` during the call only.
        #if canImport(Darwin)
        unsafe clock_gettime(CLOCK_MONOTONIC_RAW, &time)
        #else
        unsafe clock_gettime(CLOCK_BOOTTIME, &time)
        #endif
        return BootTime(boot: currentBoot, seconds: Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9)
    }

    /// If the system does not identify the boot, times can be compared only within the process.
    private static let currentBoot: UInt64 = {
        guard let text = identifier, !text.isEmpty else { return .random(in: .min ... .max) }
        return Array(text.utf8).withByteView { $0.hash(seed: Frame.checksumSeed) }
    }()

    private static var identifier: String? {
        #if canImport(Darwin)
        // The system writes to `size` and at most that many bytes to `bytes`, during the calls only.
        var size = 0
        guard unsafe sysctlbyname("kern.bootsessionuuid", nil, &size, nil, 0) == 0, size > 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: size)
        guard unsafe sysctlbyname("kern.bootsessionuuid", &bytes, &size, nil, 0) == 0 else { return nil }
        return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        #else
        return try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
        #endif
    }
}
