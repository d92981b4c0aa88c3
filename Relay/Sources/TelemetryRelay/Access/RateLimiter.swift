import Synchronization

/// Counts what each of many sources does, and says how long one that did too much has to wait: a bucket that refills evenly.
final class RateLimiter<Key: Hashable & Sendable>: Sendable {
    private struct Bucket {
        var tokens: Double
        var updated: Duration
    }

    private let perSecond: Double
    private let burst: Double
    private let uptime: @Sendable () -> Duration
    private let buckets = Mutex<[Key: Bucket]>([:])
    /// More sources than this are not remembered: those that are full again are forgotten first.
    private let maximumBuckets = 100_000

    /// - Parameters:
    ///   - perMinute: how much one source may do; also how much at once, at least 1. 0 is no limit.
    ///   - burst: how much at once, where it is another number.
    init(perMinute: Int, burst: Int? = nil, uptime: @escaping @Sendable () -> Duration) {
        perSecond = Double(perMinute) / 60
        self.burst = Double(max(1, burst ?? perMinute))
        self.uptime = uptime
    }

    /// Takes from a source's bucket.
    /// - Returns: nil where there was enough, otherwise how long to wait until there is.
    func take(_ count: Int = 1, from key: Key) -> Duration? {
        guard perSecond > 0 else { return nil }
        let now = uptime()
        let needed = min(Double(count), burst)
        return buckets.withLock { buckets in
            var bucket = buckets[key].map { refilled($0, now) } ?? Bucket(tokens: burst, updated: now)
            defer {
                if buckets.count >= maximumBuckets, buckets[key] == nil { forget(&buckets, now) }
                buckets[key] = bucket
            }
            guard bucket.tokens >= needed else { return .seconds((needed - bucket.tokens) / perSecond) }
            bucket.tokens -= needed
            return nil
        }
    }

    /// How many sources are remembered.
    var count: Int { buckets.withLock(\.count) }

    private func refilled(_ bucket: Bucket, _ now: Duration) -> Bucket {
        let seconds = (now - bucket.updated) / .seconds(1)
        return Bucket(tokens: min(burst, bucket.tokens + max(0, seconds) * perSecond), updated: now)
    }

    private func forget(_ buckets: inout [Key: Bucket], _ now: Duration) {
        buckets = buckets.filter { refilled($0.value, now).tokens < burst }
        // All of them at work at once: beginning anew costs each of them one burst at most.
        if buckets.count >= maximumBuckets { buckets.removeAll() }
    }
}
