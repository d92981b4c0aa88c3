import Foundation
import Synchronization
import TelemetryTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Sends requests to the relay: adds address and credentials, enforces deadlines, and converts refusals to errors.
final class RelayClient: Sendable {
    let address: RelayAddress
    let signer: RequestSigner
    let configuration: HTTPTelemetryTransport.Configuration
    private let knownLimits = Mutex<RequestLimits?>(nil)
    private let lines = Mutex(LinesSupport.unknown)

    init(address: RelayAddress, signer: RequestSigner, configuration: HTTPTelemetryTransport.Configuration) {
        self.address = address
        self.signer = signer
        self.configuration = configuration
    }

    /// Returns the body of the relay's response.
    /// - Throws: `TelemetryTransportError`, whose cause is `HTTPOverflow` for a body beyond the configuration's limit;
    ///   `CancellationError`.
    @discardableResult
    func send(_ request: RelayRequest) async throws -> Data { try await reply(to: request).body }

    /// Returns the relay's response.
    /// - Parameter type: The accepted media types.
    /// - Throws: The same errors as `send`.
    func reply(to request: RelayRequest, accepting type: String = "application/json") async throws -> HTTPReply {
        let prepared = try await prepare(request, accepting: type)
        let timeout = configuration.requestTimeout + request.wait
        let reply: HTTPReply
        do {
            let exchange = try await begin(prepared, waits: request.wait > .zero, limit: configuration.maximumResponseBytes)
            defer { exchange.finish() }
            reply = try await withDeadline(timeout, clock: configuration.clock) {
                HTTPReply(head: try await exchange.head(), body: try await exchange.body())
            }
        } catch {
            throw failure(error)
        }
        if let types = reply.head.header("Accept-Post") { adopt(acceptedTypes: types) }
        if (200..<300).contains(reply.head.status) { return reply }
        if let narrowed = narrowed(request, after: reply.head.status) {
            return try await self.reply(to: narrowed, accepting: type)
        }
        throw refusal(reply)
    }

    /// The same reading with the current identifier alone; nil if the refusal cannot be due to an earlier one.
    ///
    /// The relay refuses a request as a whole if one of its identifiers has another key, as after the loss of the installation's
    /// secret, and that must not keep the current client from what is its own. A deletion is not repeated, because it would succeed
    /// without deleting the earlier client's data.
    private func narrowed(_ request: RelayRequest, after status: Int) -> RelayRequest? {
        guard status == 403, request.method == .get, case .anyKnown = request.subject, signer.hasEarlierIdentifiers else {
            return nil
        }
        var narrowed = request
        narrowed.subject = .current
        return narrowed
    }

    /// Opens a stream of server-sent events.
    /// - Throws: The same errors as `send`.
    func open(_ request: RelayRequest, lastEventID: String?) async throws -> HTTPExchange {
        var prepared = try await prepare(request, accepting: "text/event-stream")
        if let lastEventID { prepared.setValue(lastEventID, forHTTPHeaderField: "Last-Event-ID") }
        prepared.setValue("no-cache", forHTTPHeaderField: "Cache-Control")
        do {
            let exchange = try await begin(prepared, waits: true, limit: ServerSentEventParser.maximumEventBytes * 4)
            do {
                try await withDeadline(configuration.requestTimeout, clock: configuration.clock) {
                    let head = try await exchange.head()
                    guard head.status == 200 else {
                        throw self.refusal(HTTPReply(head: head, body: try await exchange.body()))
                    }
                    guard head.mediaType == "text/event-stream" else { throw Self.unexpectedAnswer }
                }
                return exchange
            } catch {
                exchange.finish()
                throw error
            }
        } catch {
            throw failure(error)
        }
    }

    /// - Parameter waits: Whether the relay may delay the response.
    private func begin(_ request: URLRequest, waits: Bool, limit: Int) async throws -> HTTPExchange {
        guard waits else { return HTTPConnection.requests.begin(request, limit: limit) }
        return try await WaitingConnections.shared.begin(
            request, to: address, opening: Self.urlRequest(for: try address.url(["healthz"])), limit: limit,
            configuration: configuration)
    }

    private static func urlRequest(for url: URL) -> URLRequest {
        var request = URLRequest(url: url)
        request.cachePolicy = .reloadIgnoringLocalCacheData
        // Only an idle timer; the deadlines are enforced here, on the configuration's clock.
        request.timeoutInterval = 3_600
        return request
    }

    private func prepare(_ request: RelayRequest, accepting type: String) async throws -> URLRequest {
        var prepared = Self.urlRequest(for: try address.url(request.path, query: request.query))
        prepared.httpMethod = request.method.rawValue
        prepared.setValue(type, forHTTPHeaderField: "Accept")
        if let purpose = configuration.purpose, request.method == .get, request.path == ["v1", "events"] {
            prepared.setValue(purpose, forHTTPHeaderField: "Telemetry-Purpose")
        }
        if let body = request.body {
            let compressed = request.compresses ? GzipEncoder.encode(ifShorter: body) : nil
            prepared.httpBody = compressed ?? body
            if compressed != nil { prepared.setValue("gzip", forHTTPHeaderField: "Content-Encoding") }
            prepared.setValue(request.contentType, forHTTPHeaderField: "Content-Type")
        }
        for header in try await signer.headers(for: request.subject) {
            prepared.setValue(header.value, forHTTPHeaderField: header.name)
        }
        return prepared
    }

    private func refusal(_ reply: HTTPReply) -> TelemetryTransportError {
        TelemetryTransportError(refusal: reply, address: address, now: configuration.now())
    }

    private func failure(_ error: any Error) -> any Error {
        if error is CancellationError || error is TelemetryTransportError { return error }
        if (error as? URLError)?.code == .cancelled { return CancellationError() }
        return TelemetryTransportError(connectionFailure: error, address: address)
    }

    /// The error for a response that is not a relay's, such as that of a captive portal or a wrong URL.
    static let unexpectedAnswer = TelemetryTransportError(
        code: .unavailable, message: "The response is not from a relay; check the URL and any proxy in between.")
}

extension RelayClient {
    /// The relay's limits if they were fetched; otherwise the defaults.
    var limits: RequestLimits { knownLimits.withLock { $0 } ?? RequestLimits() }

    /// Fetches the relay's limits, once. Returns whether they differ from those that were in use.
    ///
    /// Called only if the relay refused a request for its size, because most relays have the default limits.
    func adoptLimits() async throws -> Bool {
        if knownLimits.withLock({ $0 != nil }) { return false }
        guard let info = RelayInformation(try await send(.init(.get, "v1", "server", subject: .clients([])))) else {
            return false
        }
        knownLimits.withLock { $0 = info.limits }
        return info.limits != RequestLimits()
    }
}

extension RelayClient {
    /// Whether the relay stores events that are sent as lines.
    private enum LinesSupport {
        case unknown
        case accepted
        /// It stored as JSON what it had refused as lines.
        case refused
    }

    /// The media type of the lines of a segment.
    static let linesType = "application/vnd.livetelemetry.lines"

    /// Whether a response has listed lines as a type of bodies, and none were refused since then.
    var acceptsLines: Bool { lines.withLock { $0 == .accepted } }

    /// Sends only JSON from now on.
    func refuseLines() { lines.withLock { $0 = .refused } }

    /// - Parameter list: The header `Accept-Post`, which responses to events have.
    private func adopt(acceptedTypes list: String) {
        let types = list.lowercased().split(separator: ",").map { type in
            type.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces)
        }
        guard types.contains(Self.linesType) else { return }
        lines.withLock { if $0 == .unknown { $0 = .accepted } }
    }
}
