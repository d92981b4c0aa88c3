import TelemetryTransport

/// The background work of a service: following the store's notifications, and polling.
@MainActor
final class BackgroundWork {
    /// How often a service polls.
    struct PollingPolicy {
        /// The polling interval; nil for none. Each wait is random, between 80 % and 120 % of it, so that many clients do not
        /// poll at the same time.
        let interval: Duration?
        /// The polling interval while work is pending.
        let retryInterval: Duration
        /// The delay after a refresh for a notification until the refresh for those that followed: a burst causes two refreshes.
        let pause: Duration
        let clock: any Clock<Duration>
        let random: @Sendable () -> Double
        let executor: (any TaskExecutor)?
    }

    /// The polling pace.
    enum Pace { case never, usually, soon }

    typealias Filter = @MainActor (TelemetryNotification) async -> RefreshScope?

    private let policy: PollingPolicy
    private let filter: Filter
    private let look: @MainActor (RefreshScope) -> Void
    private var follower: OwnedTask?
    /// Distinguishes a follower whose stream has ended from the one that replaced it.
    private var generation: UInt64 = 0
    private var ticker: OwnedTask?
    private var pace = Pace.never
    private var pause: OwnedTask?
    private var noted: RefreshScope?

    /// - Parameters:
    ///   - policy: How often to poll.
    ///   - filter: Returns what a notification requires to refresh; nil if it does not concern this client.
    ///   - look: Refreshes the given scope.
    init(_ policy: PollingPolicy, filter: @escaping Filter, look: @escaping @MainActor (RefreshScope) -> Void) {
        self.policy = policy
        self.filter = filter
        self.look = look
    }

    /// Follows the notifications; nil stops following.
    func follow(_ notifications: AsyncStream<TelemetryNotification>?) {
        generation += 1
        let generation = generation
        guard let notifications else {
            follower = nil
            pause = nil
            noted = nil
            return
        }
        follower = OwnedTask(
            Task(executorPreference: policy.executor) { [weak self] in
                for await notification in notifications { await self?.note(notification) }
                await self?.ended(generation)
            })
    }

    /// Starts or stops polling.
    func tick(_ pace: Pace) {
        guard self.pace != pace else { return }
        self.pace = pace
        guard pace != .never, let usual = policy.interval else { return ticker = nil }
        let interval = pace == .soon ? min(usual, policy.retryInterval) : usual
        let policy = policy
        ticker = OwnedTask(
            Task(executorPreference: policy.executor) { [weak self] in
                while !Task.isCancelled {
                    do { try await policy.clock.sleep(for: interval * (0.8 + 0.4 * policy.random())) } catch { return }
                    await self?.look(.everything)
                }
            })
    }

    var isFollowing: Bool { follower != nil }

    /// Stops all background work, and returns when it has ended.
    func end() async {
        let tasks = [follower, ticker, pause]
        follow(nil)
        tick(.never)
        for task in tasks { await task?.end() }
    }

    /// The store ended the stream. The next refresh follows a new one.
    private func ended(_ generation: UInt64) {
        if generation == self.generation { follower = nil }
    }

    private func note(_ notification: TelemetryNotification) async {
        guard let scope = await filter(notification), isFollowing else { return }
        noted = max(noted ?? scope, scope)
        // At once, because the sender of a command waits for its result.
        if pause == nil { lookNow() }
    }

    /// Refreshes the noted scope, and starts the pause before the next refresh.
    private func lookNow() {
        pause = nil
        guard let scope = noted else { return }
        noted = nil
        look(scope)
        let policy = policy
        pause = OwnedTask(
            Task(executorPreference: policy.executor) { [weak self] in
                do { try await policy.clock.sleep(for: policy.pause) } catch { return }
                await self?.lookNow()
            })
    }
}

/// What a refresh reads.
enum RefreshScope: Comparable {
    case commands
    /// The commands and the rules.
    case rules
    case everything
}
