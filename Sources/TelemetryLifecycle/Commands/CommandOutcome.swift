import TelemetryModels
import TelemetryTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// How a command ended, as its record shows it to the viewer.
enum CommandOutcome: Sendable, Equatable {
    /// - Parameter result: What the client did beyond what was asked for, in words for the viewer.
    case executed(Date, result: String? = nil)
    case failed(String)
    /// Not allowed by the person or the host.
    case rejected(String)
    /// Too late.
    case expired
    /// A later command decides.
    case superseded

    /// Writes the outcome into the command's record as it was read. Where another writer came in between, it is read again.
    func write(over record: TelemetryRecord, through transport: any TelemetryRecordTransport) async throws {
        guard let changed = applied(to: record) else { return }
        do {
            _ = try await transport.save([changed], policy: .ifUnchanged)
        } catch let error as TelemetryTransportError where error.code == .conflict {
            try await write(to: record.recordID, through: transport)
        } catch let error as TelemetryTransportError where error.code == .notFound {
        }
    }

    /// Writes the outcome into the command's own fields, whatever else the record holds.
    ///
    /// A command that has ended already, or that was removed, stays as it is. Where another writer came in between, the record
    /// is read again.
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

    /// The record with this outcome; nil where the command has ended already.
    private func applied(to stored: TelemetryRecord) -> TelemetryRecord? {
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

    /// Why it was not done.
    private var message: String? {
        switch self {
        case .executed: nil
        case .failed(let message), .rejected(let message): message
        case .expired: "The command expired before the client could execute it."
        case .superseded: "A later command was executed instead."
        }
    }

    /// What a store takes beside the command itself, whose action may be of any length.
    private static func brief(_ message: String) -> String {
        let limit = 1_000
        return message.utf8.count <= limit ? message : String(decoding: message.utf8.prefix(limit), as: UTF8.self) + "…"
    }

    private struct HasEnded: Error {}
}
