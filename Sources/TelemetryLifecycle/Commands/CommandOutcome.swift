import TelemetryModels
import TelemetryTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// How a command ended, as its record shows it to the viewer.
enum CommandOutcome: Sendable, Equatable {
    case executed(Date)
    case failed(String)

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
        switch self {
        case .executed(let date):
            record.set(.string(TelemetrySchema.CommandStatus.executed.rawValue), for: Field.status)
            record.set(.date(date), for: Field.executedAt)
        case .failed(let message):
            record.set(.string(TelemetrySchema.CommandStatus.failed.rawValue), for: Field.status)
            record.set(.string(Self.brief(message)), for: Field.errorMessage)
        }
        return record
    }

    /// What a store takes beside the command itself, whose action may be of any length.
    private static func brief(_ message: String) -> String {
        let limit = 1_000
        return message.utf8.count <= limit ? message : String(decoding: message.utf8.prefix(limit), as: UTF8.self) + "…"
    }

    private struct HasEnded: Error {}
}
