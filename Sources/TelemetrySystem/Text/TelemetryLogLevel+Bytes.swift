package import TelemetryModels

extension TelemetryLogLevel {
    /// The level with this name.
    package init?(bytes: UnsafeBufferPointer<UInt8>) {
        if bytes.isIdentical(to: "info") {
            self = .info
        } else if bytes.isIdentical(to: "diagnostic") {
            self = .diagnostic
        } else {
            return nil
        }
    }
}
