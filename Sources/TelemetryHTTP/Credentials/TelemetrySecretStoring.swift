#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Keeps the secret of an installation, from which the keys of its clients are derived.
///
/// A relay binds a client's identifier to its key permanently: an installation that loses its secret cannot continue to use the
/// identifier. The secret never leaves the installation.
public protocol TelemetrySecretStoring: Sendable {
    /// Returns the secret: 32 random bytes, generated at the first call and the same at every later one, in every process.
    /// - Throws: ``/TelemetryTransport/TelemetryTransportError`` if it can be neither read nor generated.
    func secret() async throws -> Data
}

/// Generates secrets.
enum InstallationSecret {
    static let byteCount = 32

    static func make() -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<byteCount).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}
