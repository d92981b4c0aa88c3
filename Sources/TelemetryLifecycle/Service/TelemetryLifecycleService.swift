public import Observation
public import TelemetryLogging
public import TelemetryModels
public import TelemetryPersistence
public import TelemetryTransport

/// Telemetry in a host: consent, approval, scenarios, the viewer's commands.
///
/// Nothing is recorded unless the person who uses the app asked for it and the viewer approved it. Operations are serialised:
/// each runs from its start to its end before the next one begins, in the order of the calls, and every call returns within
/// ``Configuration/operationTimeout``, whatever the store does. Cancelling a caller does not interrupt the operation that it
/// waits for. What could not be done is remembered and done later: at the next reconciliation, also after a restart.
///
/// While telemetry is requested, the service follows the store's notifications and looks for itself now and then. An app that
/// never opts in pays nothing: no call to the store or the backup, no file, no task.
@MainActor
@Observable
public final class TelemetryLifecycleService {
    @ObservationIgnored let engine: LifecycleEngine
    @ObservationIgnored let state: LifecycleState

    /// Where telemetry stands. Never `.enabled` while sending is off.
    public var status: Status { state.status }
    /// The last reconciliation's outcome.
    public var reconciliation: ReconciliationResult? { state.reconciliation }
    /// The settings as they are stored.
    public var settings: TelemetrySettings { state.settings }
    /// The client's record as it was last seen at the store.
    public var clientRecord: TelemetryClientRecord? { state.clientRecord }
    /// A description of the status for a person to read; nil where the status says it all.
    public var statusMessage: String? { state.statusMessage }
    /// Whether ``startup()`` or ``restoreFromBackup()`` is still bringing everything up.
    public var isRestorationInProgress: Bool { state.isRestorationInProgress }
    /// The scenarios of this session and whether they are on.
    public var scenarioStates: [String: Bool] { state.scenarios.mapValues(\.isEnabled) }
    /// The scenarios of this session: whether they are on, at which level, until when, and who decided it.
    public var scenarios: [String: TelemetryScenarioState] { state.scenarios }
    /// Whether nothing is recorded and sent for the time being, although telemetry is requested. Known once an operation has begun.
    public var isPaused: Bool { state.isPaused }
    /// The scenarios that the person who uses the app forbids. Known once an operation has begun.
    public var deniedScenarios: Set<String> { state.deniedScenarios }
    /// Whether the viewer's commands are received: while telemetry is requested. A host with push notifications registers for
    /// them meanwhile.
    public var isProcessingCommands: Bool { state.isProcessingCommands }

    /// Called when ``isProcessingCommands`` changes; called at once where it is true already. It must not wait for an operation
    /// of the service.
    public var onCommandProcessingChange: (@MainActor (_ isProcessingCommands: Bool) -> Void)? {
        get { engine.onCommandProcessing }
        set {
            engine.onCommandProcessing = newValue
            if isProcessingCommands { newValue?(true) }
        }
    }

    /// What is still to be done at the store and the backup.
    package var pendingWork: TelemetryPendingWork { engine.work }
    /// Whether anything is.
    package var hasPendingWork: Bool { engine.keeper.hasPendingWork }

    /// What the host logs through.
    public var telemetryLogger: any TelemetryLogging { engine.logger.logger }

    /// - Parameters:
    ///   - settingsStore: Keeps the settings; nil for the platform's default: user defaults on Apple's systems, elsewhere a file
    ///     of this instance's own in `$XDG_STATE_HOME/live-telemetry/<executable>`, see ``Configuration/instance``.
    ///   - transport: The store that client and viewer share.
    ///   - identifierGenerator: Makes the client's identifier at each opt-in.
    ///   - configuration: How the service works.
    ///   - logger: Records the events; nil for a ``TelemetryLogging/TelemetryLogger`` whose events outlive the process.
    ///   - syncCoordinator: Backs up every change of the settings; nil for no backup.
    ///   - subscriptionManager: Keeps the subscription to commands; nil for a ``TelemetrySubscriptionManager``.
    ///   - scenarioStore: Keeps which scenarios are on; nil for the platform's default, beside the settings.
    ///   - pendingWorkStore: Keeps what is still to be done at the store and the backup; nil for the settings store, where that
    ///     is a ``/TelemetryPersistence/TelemetryPendingWorkStoring`` as the library's are, and otherwise for the platform's
    ///     default. Services that share settings must share it.
    public init(
        settingsStore: (any TelemetrySettingsStoring)? = nil,
        transport: any TelemetryTransporting,
        identifierGenerator: any TelemetryIdentifierGenerating = TelemetryIdentifierGenerator(),
        configuration: Configuration = .init(),
        logger: (any TelemetryLogging)? = nil,
        syncCoordinator: TelemetrySettingsSyncCoordinator? = nil,
        subscriptionManager: (any TelemetrySubscriptionManaging)? = nil,
        scenarioStore: (any TelemetryScenarioStoring)? = nil,
        pendingWorkStore: (any TelemetryPendingWorkStoring)? = nil
    ) {
        let state = LifecycleState()
        let logging = configuration.loggerConfiguration
        let defaults = PlatformDefaults(
            configuration, store: transport.storeIdentifier, sharesSettings: settingsStore != nil)
        let settingsStore = settingsStore ?? defaults.settingsStore()
        self.state = state
        engine = LifecycleEngine(
            state: state, settingsStore: settingsStore, transport: transport, identifiers: identifierGenerator,
            configuration: configuration,
            logger: logger ?? configuration.makeLogger(transport: transport, spoolDirectory: defaults.spoolDirectory),
            coordinator: syncCoordinator, subscriptions: subscriptionManager,
            scenarioStore: scenarioStore ?? defaults.scenarioStore(),
            pendingWorkStore: pendingWorkStore ?? defaults.pendingWorkStore(beside: settingsStore),
            spoolDirectory: logging.spoolDirectory ?? (logger == nil ? defaults.spoolDirectory : nil),
            instance: defaults.instance)
        engine.checkConsentBeforeDelivery()
    }
}
