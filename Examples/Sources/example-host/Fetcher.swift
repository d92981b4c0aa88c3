import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

#if DEBUG
import TelemetryDebugLogging
import TelemetryModels
#endif

/// Asks servers for pages, as an app asks its back end.
///
/// In a debug build each fetch is an operation: its entries go to the relay, and the request carries the identifier under which
/// they are found there. A release build does the same without any of it.
@MainActor
struct Fetcher {
    struct Answer {
        var url: String
        var status: Int
        var correlation: String?
    }

    #if DEBUG
    init(reporter: Reporter) {
        // Two seconds, so that one can look on.
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

    /// Sends what waits; a relay that does not answer is waited for five seconds.
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
