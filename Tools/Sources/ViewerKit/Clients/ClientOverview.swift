public import Foundation
public import TelemetryModels

/// A client as the viewer shows it: its record, its newest event, and what the store contains for it.
public struct ClientOverview: Sendable {
    /// The state of a client.
    public enum State: String, Sendable {
        /// The user opted in; a viewer has not approved the client.
        case pending
        case approved
        case paused
        /// Approved, but last seen longer ago than ``timeout``, or never.
        case unseen
        /// Without a record: its telemetry ended, or the record was deleted.
        case gone
    }

    /// The time in seconds after which an approved client without activity is shown as not seen: more than two of the intervals
    /// at which a host writes to its record, which are 15 minutes by default and vary by 20 %.
    public static let timeout: TimeInterval = 2_400

    public let clientId: String
    /// Nil for a client that is gone.
    public let record: TelemetryClientRecord?
    public let trace: ClientTrace?
    public let scenarios: [TelemetryScenarioRecord]
    public let commands: [TelemetryCommandRecord]
    /// The number of stored events.
    public let events: Int

    public init(
        clientId: String, record: TelemetryClientRecord?, trace: ClientTrace? = nil, scenarios: [TelemetryScenarioRecord] = [],
        commands: [TelemetryCommandRecord] = [], events: Int = 0
    ) {
        self.clientId = clientId
        self.record = record
        self.trace = trace
        self.scenarios = scenarios
        self.commands = commands
        self.events = events
    }

    /// The latest of the date in the record, the newest event's date, and the last answer to a command.
    public var lastSeen: Date? {
        ([record?.lastSeen, trace?.lastEvent] + commands.map(\.executedAt)).compactMap(\.self).max()
    }

    public func state(now: Date) -> State {
        guard let record else { return .gone }
        guard record.isEnabled else { return .pending }
        guard !record.isPaused else { return .paused }
        // A client that was created a short time ago has not had to write yet.
        let seen = max(lastSeen ?? .distantPast, record.created)
        return now.timeIntervalSince(seen) > Self.timeout ? .unseen : .approved
    }

    /// The app's version or, for an executable without a bundle, its name.
    public var app: String? { record?.appVersion ?? trace?.appVersion }
    /// The device's name or, if it is unknown, its model.
    public var device: String? { trace?.deviceName ?? record?.deviceModel ?? trace?.deviceModel }
    public var pendingCommands: Int { commands.count { $0.status == .pending } }
    public var enabledScenarios: Int { scenarios.count(where: \.isEnabled) }
}

extension JSONLine {
    public init(_ client: ClientOverview, alias: String?, now: Date) {
        typealias Field = TelemetrySchema.ClientField
        self.init()
        add(Field.clientId.rawValue, client.clientId)
        add("alias", alias)
        add("state", client.state(now: now).rawValue)
        add(Field.isEnabled.rawValue, client.record?.isEnabled)
        add(Field.isPaused.rawValue, client.record?.isPaused)
        add(Field.created.rawValue, client.record?.created)
        add(Field.lastSeen.rawValue, client.lastSeen)
        add(Field.appVersion.rawValue, client.app)
        add("deviceName", client.trace?.deviceName)
        add(Field.deviceModel.rawValue, client.record?.deviceModel ?? client.trace?.deviceModel)
        add(Field.osVersion.rawValue, client.record?.osVersion ?? client.trace?.osVersion)
        add(Field.libraryVersion.rawValue, client.record?.libraryVersion ?? client.trace?.libraryVersion)
        add("scenarios", client.scenarios.count)
        add("scenariosEnabled", client.enabledScenarios)
        add("pendingCommands", client.pendingCommands)
        add("events", client.events)
    }
}
