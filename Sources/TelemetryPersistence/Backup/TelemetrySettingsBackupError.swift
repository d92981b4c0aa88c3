public import Foundation

/// Why a backup of settings cannot be used.
public enum TelemetrySettingsBackupError: Error, LocalizedError, Sendable, Equatable {
    /// A backup is there, but cannot be read as settings; says which and why. It stays until another is saved.
    case corrupted(String)

    public var errorDescription: String? {
        switch self {
        case .corrupted(let reason): "The settings' backup is corrupt: \(reason)"
        }
    }
}
