// Foundation re-exports the C library of each system.
import Foundation

/// The system's wall clock.
enum WallClock {
    /// Seconds since 1 January 2001.
    @inline(__always)
    static var secondsSinceReference: Double {
        var time = timespec()
        // The system writes to `time` during the call only.
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec - 978_307_200) + Double(time.tv_nsec) * 1e-9
    }
}
