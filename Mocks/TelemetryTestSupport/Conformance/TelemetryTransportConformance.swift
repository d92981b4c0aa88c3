public import TelemetryTransport

/// The contract of the transport protocols, as checks to run from the tests of a transport.
///
/// Pass a closure that creates an empty store, and run each check; it works with any test framework:
///
/// ```swift
/// @Test(arguments: TelemetryTransportConformance.checks)
/// func conforms(_ check: TelemetryTransportConformance.Check) async throws {
///     try await TelemetryTransportConformance { .init(transport: MyTransport()) }.run(check)
/// }
/// ```
///
/// Checks on what several connections see are skipped where the store says that it can have only one.
public struct TelemetryTransportConformance: Sendable {
    /// An empty store, made for one check.
    public struct Store: Sendable {
        let transport: any TelemetryTransporting
        let connectAgain: (@Sendable () async throws -> any TelemetryTransporting)?
        let remove: @Sendable () async throws -> Void

        /// - Parameters:
        ///   - transport: A connection to the store.
        ///   - connectAgain: Makes another connection to the same store, as another process would; nil where there can be one
        ///     only.
        ///   - remove: Called when the check is done.
        public init(
            transport: any TelemetryTransporting,
            connectAgain: (@Sendable () async throws -> any TelemetryTransporting)? = nil,
            remove: @escaping @Sendable () async throws -> Void = {}
        ) {
            self.transport = transport
            self.connectAgain = connectAgain
            self.remove = remove
        }
    }

    /// What became of a check that did not fail.
    public enum Outcome: Sendable, Equatable {
        /// Every requirement of the check held.
        case passed
        /// The check needs a second connection, and the store can have only one.
        case skipped
    }

    /// Every check; the order means nothing, and none depends on another.
    public static let checks: [Check] =
        eventChecks + cursorChecks + filterChecks + streamChecks + recordChecks + policyChecks + operationChecks
        + nameChecks + subscriptionChecks + concurrencyChecks

    private let makeStore: @Sendable () async throws -> Store
    private let patience: Duration

    /// - Parameters:
    ///   - patience: How long a check waits for what the transport is to tell of its own accord: notifications, and events
    ///     that a stream follows.
    ///   - makeStore: Makes an empty store; called once for each check.
    public init(patience: Duration = .seconds(20), makeStore: @escaping @Sendable () async throws -> Store) {
        self.patience = patience
        self.makeStore = makeStore
    }

    /// Runs one check on a store of its own.
    /// - Throws: ``Failure`` where the transport does not keep a promise; what making or removing the store throws.
    @discardableResult
    public func run(_ check: Check) async throws -> Outcome {
        let store = try await makeStore()
        let outcome: Result<Outcome, any Error>
        if check.needsSecondConnection, store.connectAgain == nil {
            outcome = .success(.skipped)
        } else {
            do {
                try await check.body(Bench(store: store, patience: patience))
                outcome = .success(.passed)
            } catch let broken as ConformanceViolation {
                outcome = .failure(Failure(check: check, message: broken.message))
            } catch {
                outcome = .failure(Failure(check: check, message: "The transport threw \(error)."))
            }
        }
        try await store.remove()
        return try outcome.get()
    }

    /// Runs every check and returns those that failed, with why; empty for a transport that keeps its promises.
    /// - Throws: what making or removing a store throws.
    public func runAll() async throws -> [Failure] {
        var failures: [Failure] = []
        for check in Self.checks {
            do { try await run(check) } catch let failure as Failure { failures.append(failure) }
        }
        return failures
    }
}

extension TelemetryTransportConformance {
    /// One promise, and how to see that it is kept.
    public struct Check: Sendable, CustomStringConvertible {
        /// The promise, as a sentence.
        public let name: String
        /// Whether it is about what several connections to one store see.
        public let needsSecondConnection: Bool
        let body: @Sendable (Bench) async throws -> Void

        init(_ name: String, _ body: @escaping @Sendable (Bench) async throws -> Void) {
            self.init(name, needsSecondConnection: false, body: body)
        }

        private init(
            _ name: String, needsSecondConnection: Bool, body: @escaping @Sendable (Bench) async throws -> Void
        ) {
            self.name = name
            self.needsSecondConnection = needsSecondConnection
            self.body = body
        }

        /// A check with two connections to the same store.
        static func acrossConnections(
            _ name: String, _ body: @escaping @Sendable (Bench, any TelemetryTransporting) async throws -> Void
        ) -> Check {
            Check(name, needsSecondConnection: true) { bench in try await body(bench, bench.secondConnection()) }
        }

        public var description: String { name }
    }

    /// A promise that a transport does not keep.
    public struct Failure: Error, CustomStringConvertible {
        /// The check that failed.
        public let check: Check
        /// What was seen, and what was expected.
        public let message: String

        public var description: String { "\(check.name): \(message)" }
    }
}
