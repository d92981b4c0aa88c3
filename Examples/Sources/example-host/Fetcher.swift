import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

#if DEBUG
import TelemetryDebugLogging
import TelemetryModels
#endif

/// Fetches pages from servers, as an app does from its back end.
///
/// In a debug build each fetch is an operation: its entries are sent to the relay, and the request has a header with the
/// correlation identifier to search for. A release build contains none of this.
@MainActor
struct Fetcher {
    struct Answer {
        var url: String
        var status: Int
        var correlation: String?
    }

    #if DEBUG
    init(reporter: Reporter) {
        // A short interval, so that entries appear quickly.
        DebugLogger.shared.configure(
            .init(source: .cli, interval: .seconds(2)), diagnostics: { reporter.report(.problem("debug log: \($0.message)")) })
    }

    func fetch(_ url: URL) async throws -> Answer {
        try await DebugCorrelation.operation { id in
            DebugLogger.shared.log(event: "page.wanted", level: .debug, payload: ["path": .string(url.path)])
            let (_, response) = try await CorrelatedURLSession().data(from: url)
            let status = (response as? HTTPURLResponse)?.statusCode ?? 0
            DebugLogger.shared.log(event: "page.shown", payload: ["status": .int(Int64(status))])
            return Answer(url: url.absoluteString, status: status, correlation: id.uuidString)
        }
    }

    /// Sends the pending entries, waiting for the relay for at most five seconds.
    func end() async { await DebugLogger.shared.flush(within: .seconds(5)) }
    #else
    init(reporter: Reporter) {}

    func fetch(_ url: URL) async throws -> Answer {
        let (_, response) = try await URLSession.shared.data(from: url)
        return Answer(url: url.absoluteString, status: (response as? HTTPURLResponse)?.statusCode ?? 0)
    }

    func end() async {}
    #endif
}
