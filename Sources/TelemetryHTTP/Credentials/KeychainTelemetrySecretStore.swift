#if canImport(Security)
public import Foundation
import Security
import TelemetryTransport

/// A secret in the keychain: for this device only, readable after it was unlocked once.
///
/// It outlives the app's removal on some of Apple's systems; the identifiers of clients do not, so that nothing is linked.
public struct KeychainTelemetrySecretStore: TelemetrySecretStoring {
    private let service: String
    private let accessGroup: String?

    /// - Parameters:
    ///   - service: What the item is filed under; one service is one installation.
    ///   - accessGroup: Shares the item with an app's extensions; nil for the app alone.
    public init(service: String = "live-telemetry.relay-secret", accessGroup: String? = nil) {
        self.service = service
        self.accessGroup = accessGroup
    }

    /// Reads the secret, or makes it; where another process was first, that one's is returned.
    /// - Throws: ``/TelemetryTransport/TelemetryTransportError``: `.unavailable` while the device is locked, `.corrupted` for an
    ///   item of another length.
    public func secret() async throws -> Data {
        if let secret = try read() { return secret }
        var item = query
        item[kSecValueData as String] = Data(InstallationSecret.make())
        item[kSecAttrAccessible as String] = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
        let status = SecItemAdd(item as CFDictionary, nil)
        guard status == errSecSuccess || status == errSecDuplicateItem else { throw failure("made", status) }
        guard let secret = try read() else { throw failure("read", errSecItemNotFound) }
        return secret
    }

    private func read() throws -> Data? {
        var request = query
        request[kSecReturnData as String] = true
        request[kSecMatchLimit as String] = kSecMatchLimitOne
        var result: CFTypeRef?
        let status = SecItemCopyMatching(request as CFDictionary, &result)
        if status == errSecItemNotFound { return nil }
        guard status == errSecSuccess else { throw failure("read", status) }
        guard let data = result as? Data, data.count == InstallationSecret.byteCount else {
            throw TelemetryTransportError(
                code: .corrupted,
                message: "The keychain's item for \(service) does not have \(InstallationSecret.byteCount) bytes.")
        }
        return data
    }

    private var query: [String: Any] {
        var query: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service,
            kSecAttrAccount as String: "installation",
        ]
        if let accessGroup { query[kSecAttrAccessGroup as String] = accessGroup }
        return query
    }

    private func failure(_ action: String, _ status: OSStatus) -> TelemetryTransportError {
        TelemetryTransportError(
            code: .unavailable, message: "The installation's secret could not be \(action): keychain status \(status).")
    }
}
#endif
