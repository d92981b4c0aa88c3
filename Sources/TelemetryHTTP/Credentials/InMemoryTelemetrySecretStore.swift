#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A secret in memory, for tests and for hosts whose clients end with the process.
public struct InMemoryTelemetrySecretStore: TelemetrySecretStoring {
    private let bytes: Data

    /// Creates a store with a new secret.
    public init() { bytes = Data(InstallationSecret.make()) }

    /// Creates a store with a secret that the caller provides.
    /// - Parameter secret: 32 bytes from a cryptographically secure source.
    public init(secret: Data) { bytes = secret }

    public func secret() async throws -> Data { bytes }
}

extension InMemoryTelemetrySecretStore: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "InMemoryTelemetrySecretStore" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
