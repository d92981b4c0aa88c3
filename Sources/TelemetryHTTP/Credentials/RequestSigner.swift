import Synchronization
@_spi(Tooling) import TelemetryModels
import TelemetryTransport

/// Creates the headers that authenticate a request.
final class RequestSigner: Sendable {
    private struct State {
        var identities = ClientIdentities()
        /// The computed keys, by identifier.
        var keys: [String: String] = [:]
    }

    private let credentials: TelemetryRelayCredentials
    private let state = Mutex(State())

    init(_ credentials: TelemetryRelayCredentials) { self.credentials = credentials }

    /// Sets the current identifier. Returns whether it changed.
    /// - Throws: `.invalidArgument` for an identifier that is empty or too long; then nothing changes.
    func setClientIdentifier(_ clientId: String?) throws(TelemetryTransportError) -> Bool {
        guard case .host = credentials.role else { return false }
        return try state.withLock { state throws(TelemetryTransportError) in
            let before = state.identities.current
            try state.identities.set(clientId)
            return before != state.identities.current
        }
    }

    /// Whether requests on this subject have to wait for an identifier.
    func needsIdentifier(for subject: RequestSubject) -> Bool {
        guard case .host = credentials.role else { return false }
        return state.withLock { $0.identities.names(for: subject).isEmpty }
    }

    /// Whether a request on any known identifier contains others beside the current one.
    var hasEarlierIdentifiers: Bool {
        state.withLock { $0.identities.current != nil && $0.identities.known.count > 1 }
    }

    /// - Throws: `.unauthorized` for a host without an identifier; the secret store's error.
    func headers(for subject: RequestSubject) async throws -> [(name: String, value: String)] {
        var headers: [(name: String, value: String)] = []
        if let authorization = try credentials.authorization() { headers.append(("Authorization", authorization)) }
        guard case .host(let secrets) = credentials.role else { return headers }
        let names = state.withLock { $0.identities.names(for: subject) }
        guard !names.isEmpty else {
            throw TelemetryTransportError(
                code: .unauthorized,
                message: "This host has no client identifier yet; call setClientIdentifier(_:) before the first request.")
        }
        headers.append(("Telemetry-Client", names.map(PercentEncoding.encode).joined(separator: ",")))
        headers.append(("Telemetry-Client-Key", try await keys(of: names, secrets).joined(separator: ",")))
        return headers
    }

    private func keys(of names: [String], _ secrets: any TelemetrySecretStoring) async throws -> [String] {
        let known = state.withLock(\.keys)
        let ready = names.compactMap { known[$0] }
        if ready.count == names.count { return ready }
        let secret = [UInt8](try await secrets.secret())
        guard secret.count == InstallationSecret.byteCount else {
            throw TelemetryTransportError(
                code: .corrupted,
                message: "The installation's secret has \(secret.count) bytes instead of \(InstallationSecret.byteCount).")
        }
        let keys = names.map { HMACSHA256.hexDigest(of: Array($0.utf8), key: secret) }
        state.withLock { state in
            // Keeps only the keys of identifiers that are still in use.
            state.keys = state.keys.filter { state.identities.known.contains($0.key) }
            for (name, key) in zip(names, keys) { state.keys[name] = key }
        }
        return keys
    }
}

extension RequestSigner: CustomStringConvertible, CustomReflectable {
    var description: String { "\(credentials)" }
    var customMirror: Mirror { Mirror(self, children: ["credentials": credentials]) }
}
