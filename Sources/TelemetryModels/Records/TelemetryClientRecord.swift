#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A client that requested telemetry, and whether the viewer approved it.
public struct TelemetryClientRecord: TelemetryRecordConvertible, Equatable {
    /// The error that reading a record throws.
    public typealias Error = TelemetryRecordError
    public static let recordType = TelemetrySchema.clientRecordType

    /// The stored record's identifier; nil for a client that is not stored yet.
    public let recordID: TelemetryRecord.ID?
    /// The client's identifier, which the client generated.
    public var clientId: String
    /// When telemetry was requested.
    public var created: Date
    /// Whether the viewer approved the client.
    public var isEnabled: Bool
    /// Whether recording and sending are paused.
    public var isPaused: Bool
    /// When the client last reported; nil if it never did.
    public var lastSeen: Date?
    /// The identifier of the app: its bundle's, otherwise the executable's name; nil if it is not known.
    public var app: String?
    /// The version of the app, if known.
    public var appVersion: String?
    /// The operating system's version, if known.
    public var osVersion: String?
    /// The device's model, if known.
    public var deviceModel: String?
    /// The version of this library, if known.
    public var libraryVersion: String?
    /// Who approved the client by this record: the name of the viewer's token, as the relay writes it. Nil if the client was approved by a
    /// command, which names its issuer, and in other stores.
    public var approvedBy: String?
    /// When the relay stored this approval; nil if there is none.
    public var approved: Date?

    /// Creates a client's record. A transport's `createTelemetryClient(_:)` stores it.
    public init(
        recordID: TelemetryRecord.ID? = nil,
        clientId: String,
        created: Date = .now,
        isEnabled: Bool,
        isPaused: Bool = false,
        lastSeen: Date? = nil,
        app: String? = nil,
        appVersion: String? = nil,
        osVersion: String? = nil,
        deviceModel: String? = nil,
        libraryVersion: String? = nil,
        approvedBy: String? = nil,
        approved: Date? = nil
    ) {
        self.recordID = recordID
        self.clientId = clientId
        self.created = created
        self.isEnabled = isEnabled
        self.isPaused = isPaused
        self.lastSeen = lastSeen
        self.app = app
        self.appVersion = appVersion
        self.osVersion = osVersion
        self.deviceModel = deviceModel
        self.libraryVersion = libraryVersion
        self.approvedBy = approvedBy
        self.approved = approved
    }

    public init(record: TelemetryRecord) throws {
        try record.requireType(Self.recordType)
        typealias Field = TelemetrySchema.ClientField
        self.init(
            recordID: record.recordID,
            clientId: try record.requiredString(Field.clientId),
            created: try record.requiredDate(Field.created),
            isEnabled: try record.requiredBool(Field.isEnabled),
            isPaused: record.bool(Field.isPaused) ?? false,
            lastSeen: record.date(Field.lastSeen),
            app: record.string(Field.app),
            appVersion: record.string(Field.appVersion),
            osVersion: record.string(Field.osVersion),
            deviceModel: record.string(Field.deviceModel),
            libraryVersion: record.string(Field.libraryVersion),
            approvedBy: record.string(Field.approvedBy),
            approved: record.date(Field.approved))
    }

    public func toRecord() -> TelemetryRecord {
        filled(TelemetryRecord(recordType: Self.recordType, optionalID: recordID))
    }

    public func applying(to record: TelemetryRecord) throws -> TelemetryRecord {
        try record.requireType(Self.recordType)
        return filled(record)
    }

    private func filled(_ record: TelemetryRecord) -> TelemetryRecord {
        typealias Field = TelemetrySchema.ClientField
        var record = record
        record.set(.string(clientId), for: Field.clientId)
        record.set(.date(created), for: Field.created)
        record.set(.bool(isEnabled), for: Field.isEnabled)
        record.set(.bool(isPaused), for: Field.isPaused, unlessDefault: false)
        record.set(lastSeen.map(TelemetryValue.date), for: Field.lastSeen)
        record.set(app.map(TelemetryValue.string), for: Field.app)
        record.set(appVersion.map(TelemetryValue.string), for: Field.appVersion)
        record.set(osVersion.map(TelemetryValue.string), for: Field.osVersion)
        record.set(deviceModel.map(TelemetryValue.string), for: Field.deviceModel)
        record.set(libraryVersion.map(TelemetryValue.string), for: Field.libraryVersion)
        record.set(approvedBy.map(TelemetryValue.string), for: Field.approvedBy)
        record.set(approved.map(TelemetryValue.date), for: Field.approved)
        return record
    }
}
