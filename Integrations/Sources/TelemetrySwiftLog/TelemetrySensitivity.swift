public import Logging

/// An attribute of swift-log's metadata that says whether a value may be recorded.
///
/// swift-log has no such attribute itself. Other handlers receive it, and record the value unless they know it.
///
/// ```swift
/// logger.info("signed in", metadata: ["email": "\(email, sensitivity: .sensitive)"])
/// ```
public enum TelemetrySensitivity: Int64, Sendable, Logger.MetadataValueAttributes.Attribute {
    /// `<redacted>` is recorded in place of the value. Context conditions are compared with the value itself.
    case sensitive = 1
}

extension Logger.MetadataValue.StringInterpolation {
    /// Appends a value. If it is sensitive, the whole metadata value is.
    public mutating func appendInterpolation<Value>(_ value: Value, sensitivity: TelemetrySensitivity) {
        appendInterpolation(value, attributes: [sensitivity])
    }
}
