import Foundation
import TelemetryHTTP
import TelemetryModels
@_spi(Tooling) import TelemetryTestSupport
import TelemetryTransport

/// Answers of a relay, and transports that connect to a scripted server.
enum Relay {
    static let secret = Data((0..<32).map { UInt8($0) })
    static let server =
        #"{"name":"relay","version":"1.0","api":1,"time":"2026-11-21T08:00:00Z","limits":{},"role":"viewer"}"#

    static func transport(
        _ server: LoopbackServer, _ credentials: TelemetryRelayCredentials = .viewer(token: "t0ken"),
        configuration: HTTPTelemetryTransport.Configuration = .default
    ) -> HTTPTelemetryTransport {
        HTTPTelemetryTransport(url: server.baseURL, credentials: credentials, configuration: configuration)
    }

    static func host(
        _ server: LoopbackServer, as clientId: String?, configuration: HTTPTelemetryTransport.Configuration = .default
    ) async -> HTTPTelemetryTransport {
        let transport = transport(
            server, .host(token: "t0ken", secrets: InMemoryTelemetrySecretStore(secret: secret)), configuration: configuration)
        await transport.setClientIdentifier(clientId)
        return transport
    }

    /// A configuration whose time is a manual clock, and whose jitter is the whole window.
    static func configuration(clock: ManualClock, random: Double = 1) -> HTTPTelemetryTransport.Configuration {
        var configuration = HTTPTelemetryTransport.Configuration()
        configuration.clock = clock
        configuration.random = { random }
        return configuration
    }

    static func stored(_ count: Int) -> LoopbackServer.Behaviour {
        .answers(200, body: #"{"stored":\#(count),"duplicates":0}"#)
    }

    static func problem(
        _ status: Int, _ code: String, _ more: String = "", headers: [String: String] = [:]
    ) -> LoopbackServer.Behaviour {
        .answers(
            status, headers: headers.merging(["Content-Type": "application/problem+json"]) { $1 },
            body: #"{"type":"about:blank","title":"T","status":\#(status),"detail":"what is wrong","code":"\#(code)"\#(more)}"#)
    }

    static func page(_ ids: [String], cursor: String, hasMore: Bool = false) -> LoopbackServer.Behaviour {
        let events = ids.map {
            #"{"eventId":"\#($0)","eventName":"n","eventTimestamp":"2026-11-21T08:00:00.123456789Z","sessionId":"s"}"#
        }
        return .answers(
            200, body: #"{"events":[\#(events.joined(separator: ","))],"cursor":"\#(cursor)","hasMore":\#(hasMore),"skipped":0}"#)
    }
}

/// The JSON object of a request's body, which may be compressed.
func object(_ body: Data) throws -> [String: Any] {
    try JSONSerialization.jsonObject(with: Gunzip.expanded(body) ?? Data()) as? [String: Any] ?? [:]
}
