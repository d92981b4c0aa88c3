public import Logging
@_spi(Tooling) public import TelemetryLogging
import TelemetryModels

/// A log handler that records messages as events of a scenario.
///
/// While the scenario is off, its level is `.critical`, so that swift-log evaluates neither message nor metadata of any other
/// level; swift-log cannot skip `.critical`, which is evaluated and not recorded. While the scenario is on, its level is `.trace`
/// or, if the scenario records info events only, `.info`. A level that the program sets is the least one that is recorded; the
/// scenario's state can only restrict it further.
///
/// A message becomes an event with the name ``eventName``. `trace` and `debug` are recorded as `.diagnostic`, other levels as
/// `.info`. The message is `property1`; the metadata are the attributes, as strings. Nested metadata are flattened: `user` with the
/// key `id` becomes `user.id`, the first element of `tags` becomes `tags.0`, and empty lists and dictionaries are left out. The
/// attributes `source`, `file`, `line`, `function` and `level` are always those of the message; metadata of the same name are
/// prefixed with `metadata.`. An error becomes the attributes `error.message` and `error.type`. A value that is marked as
/// ``TelemetrySensitivity/sensitive`` becomes `<redacted>`.
///
/// A scenario that is on only in some contexts records the messages whose context fulfils its conditions. The context of a message is
/// that of the task, to which the metadata of the logger and those of its provider are added as text, unless the task has a value of that
/// name.
///
/// A `MultiplexLogHandler` reads the levels of its handlers once, when it is created. Use ``TelemetryMultiplexLogHandler`` to
/// combine this handler with others.
public struct TelemetryLogHandler: LogHandler {
    // Larger than an existential container, so that swift-log, which copies it for each call, retains only its box.
    /// The name of every event that the handler records.
    public static let eventName = "log"

    public var metadata: Logger.Metadata = [:]
    /// Returns metadata for each recorded message.
    public var metadataProvider: Logger.MetadataProvider?
    private let scenario: TelemetryScenario
    /// The scenario's handle does not keep the logger, which delivers the events.
    private let logger: TelemetryLogger
    /// The level that the program set.
    private var leastLevel = Logger.Level.trace

    /// Creates a handler with the metadata provider of the logging system.
    /// - Parameters:
    ///   - label: The label of the swift-log logger.
    ///   - logger: The logger that records the events.
    ///   - scenario: The name of the scenario; nil uses the label.
    public init(label: String, logger: TelemetryLogger, scenario: String? = nil) {
        self.init(label: label, logger: logger, scenario: scenario, metadataProvider: LoggingSystem.metadataProvider)
    }

    /// Creates a handler.
    /// - Parameters:
    ///   - label: The label of the swift-log logger.
    ///   - logger: The logger that records the events.
    ///   - scenario: The name of the scenario; nil uses the label.
    ///   - metadataProvider: Returns metadata for each recorded message, on the thread that logs it. While the scenario is on only
    ///     in some contexts, it is called more than once for each message on whose recording the values of the task do not decide.
    public init(
        label: String, logger: TelemetryLogger, scenario: String? = nil, metadataProvider: Logger.MetadataProvider?
    ) {
        self.scenario = logger.scenario(scenario ?? label)
        self.logger = logger
        self.metadataProvider = metadataProvider
    }

    /// The least level that is recorded now. It follows the scenario's state; setting it limits what the scenario can record.
    public var logLevel: Logger.Level {
        // Short, because it is called for each message, and most scenarios are off.
        get { scenario.isOff ? .critical : levelInContext }
        set { leastLevel = newValue }
    }

    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Records the message, unless the scenario is off at its level.
    public func log(event: LogEvent) {
        inContext { provided in
            // Arguments are evaluated only if the scenario is on, because it may be off at `.critical`.
            scenario.log(
                Self.eventName, level: TelemetryLogLevel(event.level), property1: event.message.description,
                listed: LogAttributes.attributes(of: event, provided: provided ?? metadataProvider?.get(), handler: metadata))
        }
    }

    @inline(never)
    private var levelInContext: Logger.Level { inContext { _ in level } }

    private var level: Logger.Level {
        guard scenario.isEnabled else { return .critical }
        return scenario.isEnabled(at: .diagnostic) ? leastLevel : max(leastLevel, .info)
    }

    /// Runs an operation in the context of a message, on the provider's metadata if that needed them.
    @inline(__always)
    private func inContext<Result>(_ operation: (_ provided: Logger.Metadata?) -> Result) -> Result {
        scenario.needsContext ? inMetadataContext(operation) : operation(nil)
    }

    private func inMetadataContext<Result>(_ operation: (_ provided: Logger.Metadata?) -> Result) -> Result {
        let provided = metadataProvider?.get() ?? [:]
        guard !metadata.isEmpty || !provided.isEmpty else { return operation(provided) }
        let values = metadata.merging(provided) { _, provided in provided }.mapValues(LogAttributes.text(of:))
        return TelemetryContext.with(values.merging(TelemetryContext.current) { _, task in task }) {
            operation(provided)
        }
    }
}

extension TelemetryLogLevel {
    init(_ level: Logger.Level) {
        switch level {
        case .trace, .debug: self = .diagnostic
        case .info, .notice, .warning, .error, .critical: self = .info
        }
    }
}
