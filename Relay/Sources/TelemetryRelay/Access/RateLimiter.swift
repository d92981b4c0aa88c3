import Synchronization

/// Limits the rate of operations for each source, with a token bucket that refills at a constant rate.
final class RateLimiter<Key: Hashable & Sendable>: Sendable {
    private struct Bucket {
        var tokens: Double
        var updated: Duration
    }

    private let perSecond: Double
    private let burst: Double
    private let uptime: @Sendable () -> Duration
    private let buckets = Mutex<[Key: Bucket]>([:])
    /// The use since the last call of ``takeUse()``; nil if it is not shared with other relays.
    private let use: Mutex<[Key: Double]?>
    /// The maximum number of sources in memory. Beyond it, sources whose buckets are full are removed first.
    private let maximumBuckets = 100_000

    /// - Parameters:
    ///   - perMinute: the number of operations a minute for one source, and the size of a burst, at least 1; 0 is no limit.
    ///   - burst: the size of a burst, if it differs.
    ///   - isShared: whether other relays' use counts, too; see ``charge(_:)``.
    init(perMinute: Int, burst: Int? = nil, isShared: Bool = false, uptime: @escaping @Sendable () -> Duration) {
        perSecond = Double(perMinute) / 60
        self.burst = Double(max(1, burst ?? perMinute))
        self.uptime = uptime
        use = Mutex(isShared ? [:] : nil)
    }

    /// Takes tokens from a source's bucket.
    /// - Returns: nil if there were enough, otherwise how long to wait until there are.
    func take(_ count: Int = 1, from key: Key) -> Duration? {
        guard perSecond > 0 else { return nil }
        let now = uptime()
        let needed = min(Double(count), burst)
        let wait: Duration? = buckets.withLock { buckets in
            var bucket = buckets[key].map { refilled($0, now) } ?? Bucket(tokens: burst, updated: now)
            defer {
                if buckets.count >= maximumBuckets, buckets[key] == nil { evict(&buckets, now) }
                buckets[key] = bucket
            }
            guard bucket.tokens >= needed else { return .seconds((needed - bucket.tokens) / perSecond) }
            bucket.tokens -= needed
            return nil
        }
        if wait == nil { use.withLock { $0?[key, default: 0] += needed } }
        return wait
    }

    /// This relay's use since the last call, for other relays.
    func takeUse() -> [Key: Double] {
        use.withLock { use in
            guard let taken = use else { return [:] }
            use = [:]
            return taken
        }
    }

    /// Takes tokens for other relays' use, which may leave a bucket with a debt of up to a burst.
    func charge(_ use: [Key: Double]) {
        guard perSecond > 0 else { return }
        let now = uptime()
        buckets.withLock { buckets in
            for (key, count) in use {
                var bucket = buckets[key].map { refilled($0, now) } ?? Bucket(tokens: burst, updated: now)
                bucket.tokens = max(bucket.tokens - count, -burst)
                if buckets.count >= maximumBuckets, buckets[key] == nil { evict(&buckets, now) }
                buckets[key] = bucket
            }
        }
    }

    /// The number of sources in memory.
    var count: Int { buckets.withLock(\.count) }

    private func refilled(_ bucket: Bucket, _ now: Duration) -> Bucket {
        let seconds = (now - bucket.updated) / .seconds(1)
        return Bucket(tokens: min(burst, bucket.tokens + max(0, seconds) * perSecond), updated: now)
    }

    private func evict(_ buckets: inout [Key: Bucket], _ now: Duration) {
        buckets = buckets.filter { refilled($0.value, now).tokens < burst }
        // All sources are active. Removing all buckets grants each source at most one extra burst.
        if buckets.count >= maximumBuckets { buckets.removeAll() }
    }
}
