import TelemetryModels

extension CanonicalForm {
    /// The canonical form as text. Stored strings and queries use it, so that CloudKit, which compares bytes, finds every
    /// spelling.
    static func text(of text: String) -> String { String(decoding: utf8(of: text), as: UTF8.self) }
}
