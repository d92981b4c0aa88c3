import Foundation
import TelemetryModels
import TelemetryTransport

/// A stream of server-sent events that is reopened when it ends.
struct EventSource: Sendable {
    /// Returns the next piece of one connection; nil at the end.
    typealias Connection = @Sendable () async throws -> Data?

    /// An occurrence on the stream.
    enum Occurrence: Sendable, Equatable {
        /// The relay has responded; events follow.
        case opened
        case event(ServerSentEvent)
    }

    let configuration: HTTPTelemetryTransport.Configuration
    /// Whether a new connection requests the missed events.
    let resumes: Bool
    /// The stream's name in diagnostics.
    let name: String
    /// Connects, and returns a function that reads the next piece; nil at the end.
    let connect: @Sendable (_ lastEventID: String?) async throws -> Connection

    /// A connection that lasted this long counts as stable.
    private static let stableAfter = Duration.seconds(30)

    /// Calls `receive` with each occurrence until the calling task is cancelled.
    func run(_ receive: @Sendable (Occurrence) -> Void) async {
        var schedule = ReconnectSchedule(
            minimum: configuration.minimumReconnectDelay, maximum: configuration.maximumReconnectDelay)
        var lastEventID: String?
        var hasReported = false
        while !Task.isCancelled {
            let stopwatch = Stopwatch(configuration.clock)
            let (error, retry) = await read(&lastEventID) { occurrence in receive(occurrence) }
            if Task.isCancelled { return }
            if stopwatch.elapsed() >= Self.stableAfter {
                schedule.reset()
                hasReported = false
            }
            if let retry { schedule.minimum = min(max(retry, .milliseconds(100)), schedule.maximum) }
            let refusal = error as? TelemetryTransportError
            if let refusal, !refusal.isRetryable { schedule.slowDown() }
            if !hasReported {
                hasReported = true
                report(error)
            }
            let delay = schedule.next(retryAfter: refusal?.retryAfter, random: configuration.random())
            do { try await configuration.clock.sleep(for: delay) } catch { return }
        }
    }

    /// Reads one connection to its end. Returns the error that ended it, and the delay that the relay requested.
    private func read(
        _ lastEventID: inout String?, _ receive: (Occurrence) -> Void
    ) async -> (error: (any Error)?, retry: Duration?) {
        var parser = ServerSentEventParser()
        do {
            let next = try await connect(resumes ? lastEventID : nil)
            receive(.opened)
            while true {
                // A relay sends a comment every 15 seconds. A connection without data for much longer is dead.
                let piece = try await withDeadline(configuration.heartbeatTimeout, clock: configuration.clock, next)
                guard let piece else { return (nil, parser.retry) }
                for event in try parser.consume(piece) { receive(.event(event)) }
                if let id = parser.lastEventID { lastEventID = id.isEmpty ? nil : id }
            }
        } catch {
            return (error, parser.retry)
        }
    }

    private func report(_ error: (any Error)?) {
        let reason: String =
            switch error {
            case nil: "it ended"
            case let error as TelemetryTransportError: error.message
            case let error as DeadlineExceeded: "no data for \(error.limit)"
            case is OversizedServerSentEvent: "an event was too large"
            case .some(let error): String((error as NSError).localizedDescription)
            }
        configuration.diagnostics?(
            TelemetryDiagnostic(
                kind: .transportFailed, message: "The relay's stream of \(name) ended and will be reopened: \(reason)"))
    }
}
