import Synchronization
@_spi(Tooling) import TelemetryLogging
@_spi(Tooling) import TelemetryModels

/// Logs the start of a request when it is created, and the end once, in the context of the task that created it.
///
/// If it is released before the end, the request has finished.
final class RequestLog: Sendable {
    private struct Response {
        var status: Int?
        var receivedBytes = 0
    }

    private let events: RequestEvents
    private let context = TelemetryContext.current
    /// Nil after the end.
    private let response = Mutex<Response?>(Response())

    init(_ events: RequestEvents) {
        self.events = events
        events.started()
    }

    deinit { finish() }

    func responded(_ status: Int) { response.withLock { $0?.status = status } }

    func received(_ bytes: Int) { response.withLock { $0?.receivedBytes += bytes } }

    func finish() { end { events.finished(status: $0.status, responseBytes: $0.receivedBytes) } }

    func fail(_ error: any Error) {
        end { _ in
            let error = LoggedError(error)
            events.failed(error.name, code: error.code)
        }
    }

    /// Does nothing if the end was logged before.
    private func end(_ log: (Response) -> Void) {
        guard let response = response.withLock({ $0.take() }) else { return }
        TelemetryContext.replaced(by: context) { log(response) }
    }
}
