import Synchronization
public import TelemetryLogging
public import TelemetryModels

/// A logger that records its calls and delivers nothing.
///
/// Records every logged event, regardless of the logger's state: it has no gate.
public actor MockTelemetryLogger: TelemetryLogging {
    /// A call that changes the logger's state, with its arguments.
    public enum Call: Sendable, Equatable {
        /// A call of `setClientIdentifier(_:)`.
        case setClientIdentifier(String?)
        /// A call of `updateScenarioStates(_:)`.
        case updateScenarioStates([String: Bool])
        /// A call of `activate(enabled:)`.
        case activate(enabled: Bool)
        /// A call of `setEnabled(_:)`.
        case setEnabled(Bool)
        /// A call of `flush()`.
        case flush
        /// A call of `shutdown()`.
        case shutdown
    }

    /// A logged event.
    public struct LoggedEvent: Sendable, Equatable {
        /// The event's name.
        public let name: String
        /// Its scenario, if any.
        public let scenario: String?
        /// Its level.
        public let level: TelemetryLogLevel
        /// Its text, evaluated.
        public let property1: String?
        /// Its attributes, evaluated.
        public let attributes: [String: TelemetryValue]

        /// Creates a value to compare with.
        public init(
            name: String, scenario: String? = nil, level: TelemetryLogLevel = .info, property1: String? = nil,
            attributes: [String: TelemetryValue] = [:]
        ) {
            self.name = name
            self.scenario = scenario
            self.level = level
            self.property1 = property1
            self.attributes = attributes
        }
    }

    public nonisolated let currentSessionId: String
    private nonisolated let log = CallLog<Call>()
    private nonisolated let logged = CallLog<LoggedEvent>()

    /// The identifier that was set last.
    public private(set) var clientIdentifier: String?
    /// The states that were set last.
    public private(set) var scenarioStates: [String: Bool] = [:]
    /// The whole states that were set last; from `updateScenarioStates(_:)` with the defaults of everything else.
    public private(set) var scenarios: [String: TelemetryScenarioState] = [:]
    /// Whether the logger would record; nil before its activation.
    public private(set) var isEnabled: Bool?

    /// Creates a logger that records its calls.
    public init(sessionId: String = "mock-session") { currentSessionId = sessionId }

    /// Every call so far, in order.
    public nonisolated var calls: [Call] { log.calls }

    /// Every logged event, in order.
    public nonisolated var events: [LoggedEvent] { logged.calls }

    /// Returns once the call has been made.
    public nonisolated func called(_ call: Call) async { await log.wait { $0.contains(call) } }

    /// Returns once at least `count` events have been logged.
    public nonisolated func logged(atLeast count: Int) async { await logged.wait { $0.count >= count } }

    public nonisolated func logEvent(
        name: String, scenario: String?, level: TelemetryLogLevel, property1: @autoclosure () -> String?,
        attributes: @autoclosure () -> [String: TelemetryValue]
    ) {
        logged.append(
            LoggedEvent(name: name, scenario: scenario, level: level, property1: property1(), attributes: attributes()))
    }

    public func setClientIdentifier(_ clientId: String?) async {
        clientIdentifier = clientId
        log.append(.setClientIdentifier(clientId))
    }

    public func updateScenarioStates(_ states: [String: Bool]) async {
        await updateScenarios(states.mapValues { TelemetryScenarioState(isEnabled: $0) })
    }

    /// Recorded as a call of `updateScenarioStates(_:)`; the whole states are in ``scenarios``.
    public func updateScenarios(_ states: [String: TelemetryScenarioState]) async {
        scenarios = states
        scenarioStates = states.mapValues(\.isEnabled)
        log.append(.updateScenarioStates(scenarioStates))
    }

    public func activate(enabled: Bool) async {
        isEnabled = enabled
        log.append(.activate(enabled: enabled))
    }

    public func setEnabled(_ enabled: Bool) async {
        isEnabled = enabled
        log.append(.setEnabled(enabled))
    }

    public func flush() async { log.append(.flush) }

    public func shutdown() async {
        isEnabled = false
        log.append(.shutdown)
    }
}
