public import TelemetryModels
public import TelemetryPersistence
public import TelemetryTransport

extension TelemetryLifecycleService {
    /// Reads the settings and, where telemetry is requested, brings everything up in a task of its own; see
    /// ``restorationFinished()``. Later calls change nothing, nor does a call after another operation brought everything up.
    /// - Returns: the stored settings.
    @discardableResult
    public func startup() async -> TelemetrySettings {
        if status == .idle { state.show(.loading, "Reading the settings.") }
        return await engine.operation(backsUp: false) { engine in
            await engine.startUp()
            return engine.settings
        }
    }

    /// Returns once startup's own task is done; at once where there is none.
    public func restorationFinished() async { await engine.restored() }

    /// Asks for telemetry on the person's behalf: the client becomes known to the viewer, who approves it or not.
    ///
    /// Where the store cannot be reached, the request is stored, and the client's record is created by a later reconciliation.
    @discardableResult
    public func enableTelemetry() async -> TelemetrySettings {
        let decision = engine.keeper.decide()
        return await engine.operation { engine in
            await engine.enable(by: decision)
            return engine.settings
        }
    }

    /// Withdraws the person's consent: nothing is sent any more, what this client has at the store is deleted, the settings go
    /// back to their defaults. No scenario is known from then on until some are registered or telemetry is asked for again, which
    /// registers the same ones; their persisted states stay.
    ///
    /// What could not be deleted is reported in ``status`` and ``statusMessage``, and tried again later, also after a restart.
    /// - Parameter reason: What ``reconciliation`` says afterwards; nil for `.allDisabled`.
    @discardableResult
    public func disableTelemetry(reason: ReconciliationResult? = nil) async -> TelemetrySettings {
        await engine.optOut { engine in
            await engine.leave(reason: reason)
            return engine.settings
        }
    }

    /// Compares the settings with the client's record at the store and follows the viewer's decision; then runs pending
    /// commands and brings the scenarios' records in line.
    /// - Returns: what it came to; nil where the store could not be reached, which changes nothing here.
    @discardableResult
    public func reconcile() async -> ReconciliationResult? {
        await engine.operation { engine in await engine.reconcile() }
    }

    /// Looks at the store again, where the notification may be about this client. For hosts that get notifications by push;
    /// those of the transport's own stream are followed without it. One that comes before ``startup()`` is kept until then.
    /// - Returns: whether it may be about this client.
    public func handleRemoteNotification(_ notification: TelemetryNotification) async -> Bool {
        await engine.operation { engine in await engine.handle(notification) }
    }

    /// Replaces the set of scenarios that this session knows. Their persisted states come back; new ones are off.
    ///
    /// May be called at any time. Where there is a client, its scenario records are brought in line with the set, now or, where
    /// the store is out of reach, at the next reconciliation.
    /// - Throws: ``/TelemetryTransport/TelemetryTransportError`` with `.invalidArgument` for a name that is empty or longer than 256 bytes of
    ///   UTF-8, and then nothing changes; the same for one that the store refuses for good, and then all are registered here.
    public func registerScenarios(_ scenarioNames: [String]) async throws {
        try await engine.operation { engine in await Outcome { try await engine.register(scenarioNames) } }.get()
    }

    /// Turns a scenario on at every level or off, until somebody decides otherwise; here and then at the store.
    /// - Throws: ``/TelemetryTransport/TelemetryTransportError`` with `.invalidArgument` for a name that is empty or longer than 256 bytes of
    ///   UTF-8, and then nothing changes; what the transport throws, and then it holds here and the record follows.
    public func setScenarioEnabled(_ scenarioName: String, enabled: Bool) async throws {
        try await setScenarioEnabled(scenarioName, enabled: enabled, level: .diagnostic, expires: nil)
    }

    /// Ends the session: this client's scenario records and events are deleted, and no scenario is known until some are
    /// registered again, with the states that they had. Events from then on bear another session.
    /// - Throws: ``/TelemetryTransport/TelemetryTransportError`` where something could not be deleted; it is tried again later, also after a restart.
    public func endSession() async throws { try await endSession(keepingEvents: false) }

    /// Ends the session; see ``endSession()``.
    /// - Parameter keepingEvents: Whether the events stay at the store, for whoever looks after a fault, and those that wait are
    ///   still delivered. Events from then on bear the same session.
    /// - Throws: ``/TelemetryTransport/TelemetryTransportError`` where something could not be deleted; it is tried again later, also after a restart.
    public func endSession(keepingEvents: Bool) async throws {
        try await engine.operation { engine in
            await Outcome { try await engine.endSession(keepingEvents: keepingEvents) }
        }.get()
    }

    /// Brings back the settings from the backup, as after a reinstallation, and everything up with them. Settings here that are
    /// newer than the backup stay. Without a coordinator, and without a backup, the answer is `.fresh`.
    @discardableResult
    public func restoreFromBackup() async -> TelemetrySettingsSyncCoordinator.RestoreState {
        let decision = engine.keeper.decide()
        return await engine.operation { engine in await engine.restoreFromBackup(by: decision) }
    }

    /// Ends everything that goes on by itself, waits for operations under way and shuts the logger down, all within
    /// ``Configuration/operationTimeout``. Call it last.
    ///
    /// Nothing is turned on afterwards: ``reconcile()`` returns nil and ``status`` is ``Status/idle``. A decision of the person
    /// is still stored, and opting out still deletes what is at the store.
    public func shutdown() async { await engine.shutDown() }
}
