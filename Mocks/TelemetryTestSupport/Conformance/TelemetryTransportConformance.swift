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
/// Checks that need several connections are skipped if the store can have only one.
public struct TelemetryTransportConformance: Sendable {
    /// An empty store, created for one check.
    public struct Store: Sendable {
        let transport: any TelemetryTransporting
        let connectAgain: (@Sendable () async throws -> any TelemetryTransporting)?
        let remove: @Sendable () async throws -> Void

        /// - Parameters:
        ///   - transport: A connection to the store.
        ///   - connectAgain: Creates another connection to the same store, as another process would; nil if there is only one.
        ///   - remove: Called after the check.
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

    /// The outcome of a check that did not fail.
    public enum Outcome: Sendable, Equatable {
        /// Every requirement of the check held.
        case passed
        /// The check needs a second connection, and the store can have only one.
        case skipped
    }

    /// Every check. Their order has no meaning, and they are independent.
    public static let checks: [Check] =
        eventChecks + cursorChecks + filterChecks + streamChecks + recordChecks + policyChecks + operationChecks
        + nameChecks + subscriptionChecks + concurrencyChecks + historyChecks + batchChecks
        + queryChecks

    private let makeStore: @Sendable () async throws -> Store
    private let patience: Duration

    /// - Parameters:
    ///   - patience: The maximum time that a check waits for notifications and for events that a stream follows.
    ///   - makeStore: Creates an empty store; called once for each check.
    public init(patience: Duration = .seconds(20), makeStore: @escaping @Sendable () async throws -> Store) {
        self.patience = patience
        self.makeStore = makeStore
    }

    /// Runs one check with a new store.
    /// - Throws: ``Failure`` if the transport does not fulfil the contract; the errors of creating and removing the store.
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

    /// Runs every check and returns the failures; empty for a transport that fulfils the contract.
    /// - Throws: The errors of creating and removing a store.
    public func runAll() async throws -> [Failure] {
        var failures: [Failure] = []
        for check in Self.checks {
            do { try await run(check) } catch let failure as Failure { failures.append(failure) }
        }
        return failures
    }
}

extension TelemetryTransportConformance {
    /// One requirement of the contract, with its check.
    public struct Check: Sendable, CustomStringConvertible {
        /// The requirement, as a sentence.
        public let name: String
        /// Whether the check needs two connections to the store.
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

    /// A requirement that a transport does not fulfil.
    public struct Failure: Error, CustomStringConvertible {
        /// The check that failed.
        public let check: Check
        /// The found value and the expected one.
        public let message: String

        public var description: String { "\(check.name): \(message)" }
    }
}
