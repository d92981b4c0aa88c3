import Foundation
@_spi(Tooling) import TelemetryModels

extension RelayRateSource {
    /// The kinds of limits.
    enum Kind: UInt8, CaseIterable { case newClients, client, token, debugLogs }

    init(_ kind: Kind, _ name: String) {
        self.init(bytes: [kind.rawValue] + SHA256.digest(of: Array(name.utf8)).prefix(15))
    }

    /// The limit that the source belongs to; nil if it is unknown to this version.
    var kind: Kind? { bytes.first.flatMap(Kind.init) }

    init(_ credential: RelayCaller.Credential) {
        switch credential {
        case .none: self.init(.token, "")
        case .configured: self.init(.token, "configured")
        case .token(let hash): self.init(.token, "hash \(hash.base64EncodedString())")
        case .identity(let subject, _): self.init(.token, "account \(subject.base64EncodedString())")
        }
    }
}
