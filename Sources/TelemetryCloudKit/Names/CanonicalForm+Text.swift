import TelemetryModels

extension CanonicalForm {
    /// The form as text: what is stored and asked for, so that CloudKit, which compares bytes, finds either spelling.
    static func text(of text: String) -> String { String(decoding: utf8(of: text), as: UTF8.self) }
}
