#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The number of files that the process may have open at once.
public enum OpenFileLimit {
    /// Of those files, how many are left for other purposes.
    private static let reserved = 128
    private static let filesPerClient = 3

    /// Raises the limit, as far as the system permits, for appending to this number of clients in turn.
    /// - Returns: The number of clients whose files can be open at once; zero if the limit is unknown.
    public static func raise(forClients clients: Int) -> Int {
        var limit = rlimit()
        #if canImport(Glibc)
        let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
        let files = RLIMIT_NOFILE
        #endif
        guard getrlimit(files, &limit) == 0 else { return 0 }
        let wanted = rlim_t(clients * filesPerClient + reserved)
        if limit.rlim_cur < wanted {
            let current = limit.rlim_cur
            limit.rlim_cur = min(wanted, limit.rlim_max)
            if setrlimit(files, &limit) != 0 { limit.rlim_cur = current }
        }
        return (Int(clamping: min(limit.rlim_cur, wanted)) - reserved) / filesPerClient
    }
}
