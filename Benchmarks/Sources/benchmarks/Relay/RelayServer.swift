import Foundation
import Measure
import Programs
import TelemetryHTTP

/// The relay as users run it: a process with its own SQLite file, or with a shared database.
struct RelayServer: Sendable {
    let process: RunningProgram
    let url: URL
    /// The SQLite file, or the address of the database.
    let database: String
    private let scratch: Scratch

    /// - Parameter database: The address of a PostgreSQL database; nil for a new SQLite file.
    static func start(_ executable: String, database: String? = nil) async throws -> Self {
        let scratch = try Scratch()
        let database = database ?? scratch.url.appending(path: "relay.sqlite").path
        let many = "1000000000000"
        let process = try await RunningProgram.start(
            URL(fileURLWithPath: executable),
            [
                "--port", "0", "--database", database,
                "--event-capacity", "1000000000", "--event-max-bytes", many, "--new-client-rate", "0", "--client-rate", "0",
                "--token-rate", "0", "--connections", "16000", "--address-connections", "8000",
            ], environment: RelayProgram.environment)
        for await line in process.errors {
            guard let url = RelayProgram.url(in: line) else { continue }
            return Self(process: process, url: url, database: database, scratch: scratch)
        }
        throw Miscount(description: "the relay ended early")
    }

    var port: UInt16 { UInt16(url.port ?? 0) }

    func viewer() -> HTTPTelemetryTransport { HTTPTelemetryTransport(url: url, credentials: .viewer(token: nil)) }

    func host(_ client: String) async -> HTTPTelemetryTransport {
        let transport = HTTPTelemetryTransport(
            url: url, credentials: .host(token: nil, secrets: InMemoryTelemetrySecretStore()))
        await transport.setClientIdentifier(client)
        return transport
    }

    /// How many requests the relay has answered, by method and route; open streams count from their beginning.
    func answeredRequests() async throws -> [String: Int] {
        let connection = try RawConnection(port: port)
        try connection.send(RawRequest.get("/metrics"))
        let text = String(decoding: try connection.response().body, as: UTF8.self)
        var requests: [String: Int] = [:]
        for line in text.split(separator: "\n") where line.hasPrefix("relay_requests_total{") {
            guard let end = line.lastIndex(of: "}"), let count = Int(line[line.index(after: end)...].drop { $0 == " " }) else {
                continue
            }
            requests[String(line.dropFirst("relay_requests_total".count).prefix { $0 != "}" }), default: 0] += count
        }
        return requests
    }
}
