#if canImport(Security)
public import Foundation
import Security
import TelemetryTransport

/// A secret in the keychain, for this device only and readable after the first unlock.
///
/// On some of Apple's systems it outlives the app's removal. The clients' identifiers do not, so a reinstalled app is not linked
/// to them.
public struct KeychainTelemetrySecretStore: TelemetrySecretStoring {
    private let service: String
    private let accessGroup: String?

    /// - Parameters:
    ///   - service: The item's service name; one service is one installation.
    ///   - accessGroup: The access group that shares the item with an app's extensions; nil for the app only.
    public init(service: String = "live-telemetry.relay-secret", accessGroup: String? = nil) {
        self.service = service
        self.accessGroup = accessGroup
    }

    /// Reads the secret, or generates it. If another process was first, returns that one's.
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
