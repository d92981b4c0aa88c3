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
                    record.set(.string(message), for: Field.errorMessage)
                }
                return record
            }
        } catch is HasEnded {
        } catch let error as TelemetryTransportError where error.code == .notFound {
        }
    }

    private struct HasEnded: Error {}
}
