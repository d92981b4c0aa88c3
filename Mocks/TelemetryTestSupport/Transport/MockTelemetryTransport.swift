import Synchronization
public import TelemetryModels
public import TelemetryTransport

/// A transport over an in-memory store that a test can make fail, go offline, delay or hang.
///
/// Every primitive, called directly or by an operation, is recorded first. Then it waits while it is held and for the latency,
/// and fails if it is scripted to fail before its effect. Then it takes effect in ``store``, and fails if it is scripted to fail
/// after its effect, like a store whose answer is lost.
public final class MockTelemetryTransport: TelemetryTransporting {
    /// When a scripted failure occurs.
    public enum FailureTiming: Sendable {
        /// The store is unchanged: the request was lost.
        case beforeEffect
        /// The store has changed, but the caller gets an error: the answer was lost.
        case afterEffect
    }

    private struct Failure {
        let error: any Error
        let moment: FailureTiming
        let matches: @Sendable (Call) -> Bool
        var times: Int
    }

    private struct Script {
        var isOffline = false
        var failures: [Operation: [Failure]] = [:]
    }

    /// The mock's store. Tests read and fill it without recorded calls.
    public let store: InMemoryTelemetryTransport
    private let log = CallLog<Call>()
    private let identities = CallLog<String?>()
    private let script = Mutex(Script())
    private let gates: [Operation: TestGate]
    private let latency: @Sendable () async throws -> Void

    /// Creates a transport that answers at once.
    public convenience init(store: InMemoryTelemetryTransport = InMemoryTelemetryTransport()) {
        self.init(store: store, latency: .zero, clock: ManualClock())
    }

    /// Creates a transport whose calls each take a time on a clock that the test advances.
    public init<C: Clock>(
        store: InMemoryTelemetryTransport = InMemoryTelemetryTransport(), latency: C.Duration, clock: C
    ) {
        self.store = store
        self.gates = Dictionary(uniqueKeysWithValues: Operation.allCases.map { ($0, TestGate()) })
        self.latency = { if latency > .zero { try await clock.sleep(for: latency) } }
    }

    // MARK: Recorded calls

    /// Every call so far, in order.
    public var calls: [Call] { log.calls }

    /// Every identifier that was set, in order. These are not recorded as calls: they do not reach the store.
    public var clientIdentifiers: [String?] { identities.calls }

    public func setClientIdentifier(_ clientId: String?) async { identities.append(clientId) }

    /// The calls of one operation, in order.
    public func calls(of operation: Operation) -> [Call] { log.calls.filter { $0.operation == operation } }

    /// Every event that was passed to `append`, in order, including those of failed calls.
    public var appendedEvents: [TelemetryEvent] {
        log.calls.flatMap { call -> [TelemetryEvent] in if case .append(let events) = call { events } else { [] } }
    }

    /// Every record that was passed to `save`, in order, including those of failed calls.
    public var savedRecords: [TelemetryRecord] {
        log.calls.flatMap { call -> [TelemetryRecord] in if case .saveRecords(let records, _) = call { records } else { [] } }
    }

    /// Removes the recorded calls.
    public func forgetCalls() { log.removeAll() }

    /// Returns once the operation has been called at least `count` times; removed calls do not count.
    public func called(_ operation: Operation, atLeast count: Int = 1) async {
        await log.wait { $0.count { $0.operation == operation } >= count }
    }

    /// Returns once the calls so far satisfy the condition, which is evaluated after each call.
    public func called(until isSatisfied: @escaping @Sendable ([Call]) -> Bool) async {
        await log.wait(until: isSatisfied)
    }

    // MARK: Requested behavior

    /// While true, every call fails before its effect with `.unavailable`.
    public var isOffline: Bool {
        get { script.withLock(\.isOffline) }
        set { script.withLock { $0.isOffline = newValue } }
    }

    /// Makes the next calls of the operation fail, after those of earlier scripted failures.
    /// - Parameters:
    ///   - operation: The operation to fail.
    ///   - error: The error to throw.
    ///   - times: The number of calls that fail; none if it is below 1.
    ///   - moment: Whether the call fails before or after its effect.
    ///   - matches: Whether a call fails; other calls succeed and do not count. By default every call.
    public func fail(
        _ operation: Operation, with error: any Error = MockTelemetryTransport.unavailable, times: Int = 1,
        _ moment: FailureTiming = .beforeEffect, where matches: @escaping @Sendable (Call) -> Bool = { _ in true }
    ) {
        guard times > 0 else { return }
        script.withLock { script in
            script.failures[operation, default: []].append(
                Failure(error: error, moment: moment, matches: matches, times: times))
        }
    }

    /// Makes the next saves of a record of this type fail, for example `TelemetrySchema.clientRecordType` for a client's
    /// creation.
    public func failSaving(
        _ recordType: String, with error: any Error = MockTelemetryTransport.unavailable, times: Int = 1,
        _ moment: FailureTiming = .beforeEffect
    ) {
        fail(.saveRecords, with: error, times: times, moment) { call in
            guard case .saveRecords(let records, _) = call else { return false }
            return records.contains { $0.recordType == recordType }
        }
    }

    /// Removes the scripted failures that have not occurred.
    public func stopFailing(_ operation: Operation) { script.withLock { $0.failures[operation] = nil } }

    /// Makes later calls of the operation wait until they are released or cancelled.
    public func hold(_ operation: Operation) { gate(operation).close() }

    /// Resumes waiting calls, and lets later ones pass.
    public func release(_ operation: Operation) { gate(operation).open() }

    /// Returns once at least `count` calls of the operation wait.
    public func held(_ operation: Operation, atLeast count: Int = 1) async { await gate(operation).waiters(atLeast: count) }

    /// Notifies all streams, as if another process had changed a record.
    public func send(_ notification: TelemetryNotification) { store.notificationStreams.yield(notification) }

    /// The error of an unreachable transport.
    public static var unavailable: TelemetryTransportError {
        TelemetryTransportError(code: .unavailable, message: "The mock was told to be out of reach.")
    }

    // MARK: Implementation

    func perform<Result: Sendable>(_ call: Call, _ effect: () async throws -> Result) async throws -> Result {
        log.append(call)
        try await gate(call.operation).pass()
        try await latency()
        let failure = try nextFailure(of: call)
        if let failure, failure.moment == .beforeEffect { throw failure.error }
        let result = try await effect()
        if let failure { throw failure.error }
        return result
    }

    private func gate(_ operation: Operation) -> TestGate { gates[operation] ?? TestGate() }

    private func nextFailure(of call: Call) throws -> Failure? {
        try script.withLock { script in
            if script.isOffline { throw Self.unavailable }
            guard let failures = script.failures[call.operation],
                let index = failures.firstIndex(where: { $0.matches(call) })
            else { return nil }
            let failure = failures[index]
            if failure.times == 1 {
                script.failures[call.operation]?.remove(at: index)
            } else {
                script.failures[call.operation]?[index].times -= 1
            }
            return failure
        }
    }
}
