#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#elseif canImport(Glibc)
import Glibc
#endif

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The system boot: its identity, and the time since it.
package enum SystemBoot {
    /// Differs after every restart and does not depend on the clock; nil if the system does not report it.
    package static let identifier: String? = {
        #if canImport(Darwin)
        // Not `kern.boottime`, which changes when the clock is set.
        let name = "kern.bootsessionuuid"
        var size = 0
        guard sysctlbyname(name, nil, &size, nil, 0) == 0, size > 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: size)
        guard sysctlbyname(name, &bytes, &size, nil, 0) == 0 else { return nil }
        let text = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        return text.isEmpty ? nil : text
        #else
        return try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
        #endif
    }()

    /// A hash of the identifier. 0 if there is none: restarts are then not detected.
    package static let number = identifier.map(FNV1a.hash) ?? 0

    /// The time since the system started, including sleep. Setting the clock does not change it.
    package static var elapsed: (seconds: Int64, nanoseconds: Int64) {
        var time = timespec()
        #if canImport(Darwin)
        clock_gettime(CLOCK_MONOTONIC_RAW, &time)
        #else
        clock_gettime(CLOCK_BOOTTIME, &time)
        #endif
        return (Int64(time.tv_sec), Int64(time.tv_nsec))
    }

    /// Whole seconds since the system started.
    package static var uptime: Int64 { elapsed.seconds }
}
