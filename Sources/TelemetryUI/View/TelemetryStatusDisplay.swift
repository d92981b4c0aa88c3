package import TelemetryLifecycle

/// The display of a service status: the key of a text in the string table, and a system symbol.
package struct TelemetryStatusDisplay: Equatable, Sendable {
    package let textKey: String
    package let symbol: String
    /// Whether an operation is in progress.
    package let isBusy: Bool

    package init(_ status: TelemetryLifecycleService.Status) {
        switch status {
        case .idle: (textKey, symbol, isBusy) = ("status.idle", "circle.dotted", false)
        case .loading: (textKey, symbol, isBusy) = ("status.loading", "ellipsis.circle", true)
        case .syncing: (textKey, symbol, isBusy) = ("status.syncing", "arrow.triangle.2.circlepath", true)
        case .enabled: (textKey, symbol, isBusy) = ("status.enabled", "checkmark.circle", false)
        case .disabled: (textKey, symbol, isBusy) = ("status.disabled", "circle.slash", false)
        case .pendingApproval: (textKey, symbol, isBusy) = ("status.pendingApproval", "hourglass", false)
        case .error: (textKey, symbol, isBusy) = ("status.error", "exclamationmark.triangle", false)
        }
    }
}
