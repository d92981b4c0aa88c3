import Foundation
import TelemetryModels

/// The limits that a host sets for viewers.
struct ViewerLimits {
    var level = TelemetryLogLevel.diagnostic
    /// In seconds.
    var lease: TimeInterval?
}
