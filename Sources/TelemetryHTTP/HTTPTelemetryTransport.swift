public import Foundation
public import TelemetryModels
public import TelemetryTransport

/// A store behind a relay, reached over HTTP.
///
/// Clients and viewers on different machines share a relay (`telemetry-relay`). A host passes its secret store, a viewer its
/// token:
///
/// ```swift
/// let transport = HTTPTelemetryTransport(
///     url: relayURL, credentials: .host(token: token, secrets: FileTelemetrySecretStore(directory: directory)))
/// ```
///
/// Every method may be called from any task. A method whose task is cancelled ends its request and throws `CancellationError`.
/// Errors are ``/TelemetryTransport/TelemetryTransportError``; the relay's refusals keep their code and `retryAfter`, a relay
/// that cannot be reached is `.unavailable`, a certificate that is not trusted `.unauthorized`, and a URL that is not HTTP
/// `.invalidArgument`. No error, description or debug output contains a token or a key.
public final class HTTPTelemetryTransport: TelemetryTransporting {
    let client: RelayClient
    let configuration: Configuration
    let notificationStream: SharedEventStream<TelemetryNotification>
    let arrivalStream: SharedEventStream<Void>

    /// Creates a transport. Makes no request.
    /// - Parameters:
    ///   - url: The relay's URL; its path precedes every route. Its user, password, query and fragment are not used.
    ///   - credentials: The caller's credentials. A token is sent only to the relay's URL: redirections are not followed. Over
    ///     `http` it is sent unencrypted.
    ///   - configuration: Time limits and sizes.
    public init(url: URL, credentials: TelemetryRelayCredentials, configuration: Configuration = .default) {
        let client = RelayClient(
            address: RelayAddress(url), signer: RequestSigner(credentials), configuration: configuration)
        self.client = client
        self.configuration = configuration
        notificationStream = SharedEventStream(
            Self.source("notifications", ["v1", "notifications"], of: client, subject: .current, resumes: true),
            buffering: .bufferingNewest(256), replacement: TelemetryNotification()
        ) { TelemetryNotification($0) }
        arrivalStream = SharedEventStream(
            Self.source("events", ["v1", "events", "stream"], of: client, subject: .clients([]), resumes: false),
            buffering: .bufferingNewest(1)
        ) { _ in () }
    }

    private static func source(
        _ name: String, _ path: [String], of client: RelayClient, subject: RequestSubject, resumes: Bool
    ) -> EventSource {
        EventSource(configuration: client.configuration, resumes: resumes, name: name) { lastEventID in
            var request = RelayRequest(.get, subject: subject)
            request.path = path
            // Setting an identifier restarts the stream.
            if client.signer.needsIdentifier(for: subject) { await Self.suspendUntilCancelled() }
            let exchange = try await client.open(request, lastEventID: lastEventID)
            return OpenExchange(exchange).next
        }
    }

    private static func suspendUntilCancelled() async {
        for await _ in AsyncStream(Never.self, { _ in }) {}
    }

    /// Sets the client of the next requests.
    ///
    /// A host's requests before the first call throw `.unauthorized`. Up to seven earlier identifiers are kept: requests that may
    /// concern their data contain them as well. To delete the data of an earlier process's client, set that client's identifier
    /// first, and then the own one. Nil keeps the earlier ones, and ends the stream of notifications until another identifier is
    /// set. An identifier that is empty or longer than 1,024 bytes is reported to the diagnostics and ignored. Does nothing with
    /// a viewer's credentials.
    public func setClientIdentifier(_ clientId: String?) async {
        do {
            guard try client.signer.setClientIdentifier(clientId) else { return }
            notificationStream.restart()
            arrivalStream.restart()
        } catch {
            configuration.diagnostics?(TelemetryDiagnostic(kind: .unexpectedInput, message: error.message))
        }
    }

    /// Returns whether the relay can be reached and implements a version of the interface that this transport supports: 1 or 2.
    public func validateSchema() async -> Bool {
        (try? await information()).map { (1...2).contains($0.api) } ?? false
    }

    /// The relay's URL, without credentials.
    public nonisolated var storeIdentifier: String? { client.address.description }

    /// Returns a summary of the store for developers; `containerID` is the relay's URL without credentials.
    public func debugInfo() async -> DebugInfo {
        let info = try? await information()
        let environment = info.map { "relay \($0.version), role \($0.role)" } ?? "relay"
        return await debugInfo(containerID: client.address.description, environment: environment)
    }

    private func information() async throws -> RelayInformation {
        guard let info = RelayInformation(try await client.send(.init(.get, "v1", "server", subject: .clients([])))) else {
            throw RelayClient.unexpectedAnswer
        }
        return info
    }
}

extension HTTPTelemetryTransport: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "HTTPTelemetryTransport(\(client.address))" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["url": client.address.description]) }
}

/// Ends an exchange when it is released.
private final class OpenExchange: Sendable {
    private let exchange: HTTPExchange

    init(_ exchange: HTTPExchange) { self.exchange = exchange }

    deinit { exchange.finish() }

    /// Returns the next piece of the body; nil at its end.
    @Sendable func next() async throws -> Data? {
        while let piece = try await exchange.next() {
            if case .data(let data) = piece { return data }
        }
        return nil
    }
}

extension HTTPTelemetryTransport {
    /// Time limits and sizes.
    public struct Configuration: Sendable {
        /// The maximum duration of a request, from connecting to the end of the response. For a request that waits at the relay
        /// for events, that wait is added.
        public var requestTimeout: Duration
        /// How long an open stream may receive nothing before it counts as dead. A relay sends a comment every 15 seconds.
        public var heartbeatTimeout: Duration
        /// The maximum delay before an ended stream is reopened. The delay is random; the maximum doubles with each failure.
        public var minimumReconnectDelay: Duration
        /// The upper limit of the doubled delay.
        public var maximumReconnectDelay: Duration
        /// The maximum size of a response, in bytes.
        public var maximumResponseBytes: Int
        /// Receives interruptions of streams. Called on any thread; it must not block.
        public var diagnostics: TelemetryDiagnosticsHandler?

        /// The header `Telemetry-Purpose` of requests that read events, for the relay's audit; nil for none.
        @_spi(Tooling) public var purpose: String?

        /// The clock of the time limits and the delays.
        package var clock: any Clock<Duration> = ContinuousClock()
        /// Returns a random number from 0 up to but not including 1.
        package var random: @Sendable () -> Double = { Double.random(in: 0..<1) }
        /// Returns the current date, for responses with a retry date.
        package var now: @Sendable () -> Date = { Date() }

        /// Creates a configuration; the parameters are the properties of the same names.
        public init(
            requestTimeout: Duration = .seconds(30), heartbeatTimeout: Duration = .seconds(45),
            minimumReconnectDelay: Duration = .seconds(2), maximumReconnectDelay: Duration = .seconds(60),
            maximumResponseBytes: Int = 64 << 20, diagnostics: TelemetryDiagnosticsHandler? = nil
        ) {
            self.requestTimeout = requestTimeout
            self.heartbeatTimeout = heartbeatTimeout
            self.minimumReconnectDelay = minimumReconnectDelay
            self.maximumReconnectDelay = maximumReconnectDelay
            self.maximumResponseBytes = maximumResponseBytes
            self.diagnostics = diagnostics
        }

        /// The default values, for a host or a viewer on an ordinary network.
        public static let `default` = Configuration()
    }
}
