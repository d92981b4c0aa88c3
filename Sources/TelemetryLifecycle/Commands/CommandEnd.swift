import TelemetryModels
import TelemetryTransport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// How a command ended, as its record tells the viewer.
enum CommandEnd: Sendable, Equatable {
    case executed(Date)
    case failed(String)

    /// Writes the end into the command's own fields, whatever else the record holds.
    ///
    /// A command that has ended already, or that is gone, stays as it is. Where another writer came in between, the record is
    /// read again.
    func write(to id: TelemetryRecord.ID, through transport: any TelemetryRecordTransport) async throws {
        do {
            _ = try await transport.modify(id) { stored in
                typealias Field = TelemetrySchema.CommandField
                guard stored.string(Field.status) == TelemetrySchema.CommandStatus.pending.rawValue else {
                    throw HasEnded()
                }
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
        } catch is HasEnded {
        } catch let error as TelemetryTransportError where error.code == .notFound {
        }
    }

    /// What a store takes beside the command itself, whose action may be of any length.
    private static func brief(_ message: String) -> String {
        let limit = 1_000
        return message.utf8.count <= limit ? message : String(decoding: message.utf8.prefix(limit), as: UTF8.self) + "…"
    }

    private struct HasEnded: Error {}
}
