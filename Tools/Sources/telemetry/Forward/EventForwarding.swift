import Synchronization
import TelemetryOTLP
import TelemetryTransport
import ViewerKit

/// Reads events and delivers them to a collector.
final class EventForwarding: Sendable {
    private struct Counts {
        var accepted = 0
        var rejected = 0
        var refused = 0
        var isReported = false
    }

    private let transport: any TelemetryEventTransport
    private let criteria: EventCriteria
    private let position: CursorFile?
    private let follows: Bool
    private let delivery: TelemetryOTLPDelivery
    private let console: Console
    private let counts = Mutex(Counts())

    init(
        transport: any TelemetryEventTransport, criteria: EventCriteria, position: CursorFile?, follows: Bool,
        exporter: TelemetryOTLPExporter, console: Console
    ) {
        self.transport = transport
        self.criteria = criteria
        self.position = position
        self.follows = follows
        self.console = console
        delivery = TelemetryOTLPDelivery(
            exporter: exporter, notify: { console.note("telemetry: \(Self.text(of: $0).visible)") })
    }

    /// Delivers the events after the cursor in the file, and saves the cursor of each page that was delivered.
    func run() async throws {
        let start = try position?.read()
        do {
            try await EventReader(transport: transport, filter: criteria.filter).read(after: start, following: follows) { page in
                if page.skippedEventCount > 0 {
                    console.note("(skipped \(counted(page.skippedEventCount, "older event")) no longer stored)")
                }
                let outcome = try await delivery.deliver(criteria.events(of: page))
                counts.withLock { counts in
                    counts.accepted += outcome.acceptedCount
                    counts.rejected += outcome.rejectedCount
                    counts.refused += outcome.refusedEventIds.count
                }
                try position?.write(page.cursor)
                return true
            }
        } catch let error as TelemetryTransportError where error.code == .invalidArgument && start != nil {
            if let position { throw position.failure(error) }
            throw error
        } catch let error as TelemetryOTLPError {
            throw ToolFailure(error.code == .unauthorized ? .noPermission : .failed, error.message)
        }
    }

    /// Prints what was forwarded, once.
    func report() {
        let counts = counts.withLock { counts in
            defer { counts.isReported = true }
            return counts
        }
        guard !counts.isReported else { return }
        let losses = [(counts.rejected, "rejected"), (counts.refused, "refused")].filter { $0.0 > 0 }
        let others = losses.map { "; the collector \($0.1) \(counted($0.0, "event"))" }.joined()
        console.note("Forwarded \(counted(counts.accepted, "event"))\(others).")
    }

    private static func text(of notice: TelemetryOTLPDelivery.Notice) -> String {
        switch notice {
        case .retrying(let delay, let error):
            "\(error.message) Retrying in \(DurationText.string(seconds: delay / .seconds(1)))."
        case .partialSuccess(0, let message): "The collector answered: \(message ?? "")"
        case .partialSuccess(let count, let message):
            "The collector rejected \(counted(count, "event"))\(message.map { ": \($0)" } ?? ".")"
        case .refused(let eventId, let error): "The event \(eventId) was left out: \(error.message)"
        }
    }
}
