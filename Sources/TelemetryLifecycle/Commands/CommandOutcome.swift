import TelemetryModels
import TelemetryTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A command's outcome, as its record shows it to the viewer.
enum CommandOutcome: Sendable, Equatable {
    /// - Parameter result: Details of the outcome, as text for the viewer.
    case executed(Date, result: String? = nil)
    case failed(String)
    /// The user or the host does not allow the command.
    case rejected(String)
    /// The command expired before it was executed.
    case expired
    /// A later command replaced this one.
    case superseded

    /// Writes the outcome to the command's record as it was read. If the record has changed since, it is read again.
    func write(over record: TelemetryRecord, through transport: any TelemetryRecordTransport) async throws {
        guard let changed = applied(to: record) else { return }
        do {
            _ = try await transport.save([changed], policy: .ifUnchanged)
        } catch let error as TelemetryTransportError where error.code == .conflict {
            try await write(to: record.recordID, through: transport)
        } catch let error as TelemetryTransportError where error.code == .notFound {
        }
    }

    /// Writes the outcome to the command's own fields and keeps the record's other fields.
    ///
    /// A command that has already ended or was removed is not changed. If the record has changed since it was read, it is read
    /// again.
    func write(to id: TelemetryRecord.ID, through transport: any TelemetryRecordTransport) async throws {
        do {
            _ = try await transport.modify(id) { stored in
                guard let changed = applied(to: stored) else { throw HasEnded() }
                return changed
            }
        } catch is HasEnded {
        } catch let error as TelemetryTransportError where error.code == .notFound {
        }
    }

    /// The record with this outcome; nil if the command has already ended.
    func applied(to stored: TelemetryRecord) -> TelemetryRecord? {
        typealias Field = TelemetrySchema.CommandField
        guard stored.string(Field.status) == TelemetrySchema.CommandStatus.pending.rawValue else { return nil }
        var record = stored
        record.set(.string(status.rawValue), for: Field.status)
        if case .executed(let date, let result) = self {
            record.set(.date(date), for: Field.executedAt)
            if let result { record.set(.string(Self.brief(result)), for: Field.result) }
        }
        if let message { record.set(.string(Self.brief(message)), for: Field.errorMessage) }
        return record
    }

    private var status: TelemetrySchema.CommandStatus {
        switch self {
        case .executed: .executed
        case .failed: .failed
        case .rejected: .rejected
        case .expired: .expired
        case .superseded: .superseded
        }
    }

    /// Why the command was not executed.
    private var message: String? {
        switch self {
        case .executed: nil
        case .failed(let message), .rejected(let message): message
        case .expired: "The command expired before the client could execute it."
        case .superseded: "A later command was executed instead."
        }
    }

    /// Shortens a message, which may contain the command's action of any length, so that the store accepts it with the command.
    private static func brief(_ message: String) -> String {
        let limit = 1_000
        return message.utf8.count <= limit ? message : String(decoding: message.utf8.prefix(limit), as: UTF8.self) + "…"
    }

    private struct HasEnded: Error {}
}
