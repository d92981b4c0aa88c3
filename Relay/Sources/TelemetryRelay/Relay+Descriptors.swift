#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

extension Relay {
    /// Raises the limit of descriptors of this process to the maximum that the system permits. It remains if the system refuses.
    public static func raiseDescriptorLimit() {
        var limit = rlimit()
        guard getrlimit(descriptors, &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        _ = setrlimit(descriptors, &limit)
    }

    /// The number of connections that leave descriptors for the database and everything else.
    fileprivate static var maximumConnections: Int {
        var limit = rlimit()
        guard getrlimit(descriptors, &limit) == 0 else { return .max }
        return max(1, Int(clamping: limit.rlim_cur) - 256)
    }

    #if canImport(Darwin)
    private static let descriptors = RLIMIT_NOFILE
    #else
    private static let descriptors = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #endif
}

extension RelayLimits {
    /// The limits with at most as many connections as there are descriptors, and at most half of them for one address.
    func withinDescriptors() -> Self {
        var limits = self
        limits.connections = min(connections, Relay.maximumConnections)
        limits.addressConnections = min(addressConnections, max(1, limits.connections / 2))
        return limits
    }
}
