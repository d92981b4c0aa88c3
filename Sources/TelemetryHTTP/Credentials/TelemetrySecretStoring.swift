#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Keeps the secret of an installation, from which the keys of its clients follow.
///
/// A relay binds a client's identifier to its key for good: an installation that loses its secret cannot go on under the same
/// identifier. The secret never leaves the installation.
public protocol TelemetrySecretStoring: Sendable {
    /// The secret: 32 random bytes, made at the first call and the same at every later one, in every process.
    /// - Throws: ``/TelemetryTransport/TelemetryTransportError`` where it can be neither read nor made.
    func secret() async throws -> Data
}

/// What a secret is made of.
enum InstallationSecret {
    static let byteCount = 32

    static func make() -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<byteCount).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}
