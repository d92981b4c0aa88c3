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

/// A moment within one boot of the device: setting the wall clock does not move it, and other processes count alike.
struct BootTime: Sendable, Equatable {
    let boot: UInt64
    /// Since the boot began, sleep included.
    let seconds: Double

    /// The time since an earlier moment; nil where it is of another boot, or not earlier.
    func seconds(since earlier: BootTime) -> Double? {
        guard boot == earlier.boot, seconds >= earlier.seconds else { return nil }
        return seconds - earlier.seconds
    }

    /// Counts on from now by a logger's own clock.
    static func clock(_ time: MonotonicTime) -> @Sendable () -> BootTime {
        let begin = now
        let elapsed = time.elapsed
        return { BootTime(boot: begin.boot, seconds: begin.seconds + elapsed() / .seconds(1)) }
    }

    private static var now: BootTime {
        var time = timespec()
        #if canImport(Darwin)
        clock_gettime(CLOCK_MONOTONIC_RAW, &time)
        #else
        clock_gettime(CLOCK_BOOTTIME, &time)
        #endif
        return BootTime(boot: currentBoot, seconds: Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9)
    }

    /// Where the system does not say which boot it is, moments can be compared within the process alone.
    private static let currentBoot: UInt64 = {
        guard let text = identifier, !text.isEmpty else { return .random(in: .min ... .max) }
        return Array(text.utf8).withUnsafeBytes { bytes in
            bytes.baseAddress.map { ByteHash.hash($0, count: bytes.count, seed: Frame.checksumSeed) } ?? 0
        }
    }()

    private static var identifier: String? {
        #if canImport(Darwin)
        var size = 0
        guard sysctlbyname("kern.bootsessionuuid", nil, &size, nil, 0) == 0, size > 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: size)
        guard sysctlbyname("kern.bootsessionuuid", &bytes, &size, nil, 0) == 0 else { return nil }
        return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        #else
        return try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
        #endif
    }
}
