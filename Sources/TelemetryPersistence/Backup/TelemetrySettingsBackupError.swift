public import Foundation

/// Why a backup of settings cannot be used.
public enum TelemetrySettingsBackupError: Error, LocalizedError, Sendable, Equatable {
    /// The backup's contents are invalid. The text names the backup and the reason. The backup is kept until the next save.
    case corrupted(String)

    public var errorDescription: String? {
        switch self {
        case .corrupted(let reason): "The settings' backup is corrupt: \(reason)"
        }
    }
}
