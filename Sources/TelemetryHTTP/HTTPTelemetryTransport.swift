public import Foundation
public import TelemetryModels
public import TelemetryTransport

/// A store behind a relay, reached over HTTP.
///
/// Clients and viewers on different machines meet at a relay (`telemetry-relay`). A host names its secret store, a viewer its
/// token:
///
/// ```swift
/// let transport = HTTPTelemetryTransport(
///     url: relayURL, credentials: .host(token: token, secrets: FileTelemetrySecretStore(directory: directory)))
/// ```
///
/// Every method may be called from any task. A method whose task is cancelled ends its request and throws `CancellationError`.
/// Errors are ``/TelemetryTransport/TelemetryTransportError``; the relay's refusals keep their code and `retryAfter`, a relay that
/// cannot be reached is `.unavailable`, a certificate that is not trusted `.unauthorized`, and a URL that is not HTTP
/// `.invalidArgument`. No error, description or debug output holds a token or a key.
public final class HTTPTelemetryTransport: TelemetryTransporting {
    let client: RelayClient
    let configuration: Configuration
    let notificationStream: SharedEventStream<TelemetryNotification>
    let arrivalStream: SharedEventStream<Void>

    /// Creates a transport; the first request is made by the first call.
    /// - Parameters:
    ///   - url: The relay's URL; a path in it is kept in front of every route. A user, a password, a query and a fragment in it are
    ///     not used.
    ///   - credentials: Who this is. A token is sent to the relay's URL and nowhere else: redirections are not followed. Over
    ///     `http` everybody on the way can read it.
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
            // Setting an identifier starts the stream anew.
            if client.signer.needsIdentifier(for: subject) { await Self.suspendUntilCancelled() }
            let exchange = try await client.open(request, lastEventID: lastEventID)
            return OpenExchange(exchange).next
        }
    }

    private static func suspendUntilCancelled() async {
        for await _ in AsyncStream(Never.self, { _ in }) {}
    }

    /// Sets the identifier that the next requests speak for.
    ///
    /// A host's requests before the first call are `.unauthorized`. Earlier identifiers, up to seven, are remembered: requests that
    /// may concern what they left behind name them, too. A process that has to delete what a client of an earlier process left sets
    /// that identifier first, and then its own. Nil keeps the earlier ones, and ends the stream of notifications until another
    /// identifier is set. An identifier that is empty or longer than 1,024 bytes is reported to the diagnostics, and changes
    /// nothing. Does nothing with a viewer's credentials.
    public func setClientIdentifier(_ clientId: String?) async {
        do {
            guard try client.signer.setClientIdentifier(clientId) else { return }
            notificationStream.restart()
            arrivalStream.restart()
        } catch {
            configuration.diagnostics?(TelemetryDiagnostic(kind: .unexpectedInput, message: error.message))
        }
    }

    /// Whether the relay answers and implements this version of the interface.
    public func validateSchema() async -> Bool {
        (try? await information())?.api == 1
    }

    /// The relay's URL, without credentials.
    public nonisolated var storeIdentifier: String? { client.address.description }

    /// What a developer wants to know about the store; `containerID` is the relay's URL without credentials.
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

/// Ends an exchange when nobody reads it any more.
private final class OpenExchange: Sendable {
    private let exchange: HTTPExchange

    init(_ exchange: HTTPExchange) { self.exchange = exchange }

    deinit { exchange.finish() }

    /// The next piece of the body; nil at its end.
    @Sendable func next() async throws -> Data? {
        while let piece = try await exchange.next() {
            if case .data(let data) = piece { return data }
        }
        return nil
    }
}
