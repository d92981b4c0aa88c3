import TelemetryTransport

/// What goes on by itself: following the store's notifications, and looking again now and then.
@MainActor
final class BackgroundWork {
    /// How a service looks by itself.
    struct PollingPolicy {
        /// How often to look again; nil for never. Each pause is drawn anew between 80 % and 120 % of it, so that many clients
        /// do not ask at the same moment.
        let interval: Duration?
        /// How soon to look again where something is still to be done.
        let retryInterval: Duration
        /// How long after a notification to look: what belongs together is seen together.
        let pause: Duration
        let clock: any Clock<Duration>
        let random: @Sendable () -> Double
        let executor: (any TaskExecutor)?
    }

    /// How often to look.
    enum Pace { case never, usually, soon }

    typealias Filter = @MainActor (TelemetryNotification) async -> RefreshScope?

    private let policy: PollingPolicy
    private let filter: Filter
    private let look: @MainActor (RefreshScope) -> Void
    private var follower: OwnedTask?
    /// Shows a follower whose stream has ended whether another one has replaced it.
    private var generation: UInt64 = 0
    private var ticker: OwnedTask?
    private var pace = Pace.never
    private var pause: OwnedTask?
    private var noted: RefreshScope?

    /// - Parameters:
    ///   - policy: How often to look.
    ///   - filter: What a notification asks to look at; nil where it is not for this client.
    ///   - look: Looks.
    init(_ policy: PollingPolicy, filter: @escaping Filter, look: @escaping @MainActor (RefreshScope) -> Void) {
        self.policy = policy
        self.filter = filter
        self.look = look
    }

    /// Follows notifications; where there are none, it stops following.
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

    /// Begins or ceases to look now and then.
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

    /// Returns when nothing goes on any more.
    func end() async {
        let tasks = [follower, ticker, pause]
        follow(nil)
        tick(.never)
        for task in tasks { await task?.end() }
    }

    /// The store ended the stream: whoever looks next follows a new one.
    private func ended(_ generation: UInt64) {
        if generation == self.generation { follower = nil }
    }

    private func note(_ notification: TelemetryNotification) async {
        guard let scope = await filter(notification), isFollowing else { return }
        let isPausing = noted != nil
        noted = max(noted ?? scope, scope)
        guard !isPausing else { return }
        let policy = policy
        pause = OwnedTask(
            Task(executorPreference: policy.executor) { [weak self] in
                do { try await policy.clock.sleep(for: policy.pause) } catch { return }
                await self?.lookNow()
            })
    }

    private func lookNow() {
        guard let scope = noted else { return }
        noted = nil
        look(scope)
    }
}

/// How much is to be looked at again.
enum RefreshScope: Comparable {
    case commands
    /// The commands, and the rules.
    case rules
    case everything
}
