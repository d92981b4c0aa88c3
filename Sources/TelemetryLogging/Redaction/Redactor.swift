import Foundation
import TelemetryModels

/// Applies a redaction to events.
struct Redactor: Sendable {
    private typealias Treatment = TelemetryRedaction.Treatment

    private let attributes: RulesByName<Treatment>
    private let otherAttributes: Treatment
    /// By scenario, the attributes that may stay.
    private let allowed: [String: RulesByName<Void>]
    private let patterns: [TelemetryRedaction.Pattern: Treatment]
    /// Finds the patterns that do not stay; nil if there are none.
    private let scanner: PatternScanner?
    private let pseudonyms: Pseudonyms
    private let hashes: Bool

    /// Creates a redactor; nil if the redaction keeps everything.
    init?(_ redaction: TelemetryRedaction, spoolDirectory: URL?) {
        attributes = RulesByName(redaction.attributes.map { ($0.key, $0.value) }, merge: Self.stricter)
        otherAttributes = redaction.otherAttributes
        allowed = redaction.allowed.mapValues { names in RulesByName(names.map { ($0, ()) }) { _, _ in } }
        patterns = redaction.patterns.filter { $0.value != .keep }
        scanner = patterns.isEmpty ? nil : PatternScanner(Set(patterns.keys))
        pseudonyms = Pseudonyms(directory: spoolDirectory)
        hashes = ([otherAttributes] + redaction.attributes.values + patterns.values).contains(.hash)
        let isKept = redaction.attributes.values.allSatisfy { $0 == .keep } && otherAttributes == .keep
        if isKept, allowed.isEmpty, scanner == nil { return nil }
    }

    private static func stricter(_ first: Treatment, _ second: Treatment) -> Treatment {
        if first == .remove || second == .remove { return .remove }
        return first == .hash ? .hash : second
    }

    private func treatment(of name: String) -> Treatment { attributes.rule(for: name) ?? otherAttributes }

    /// Stores the secret of pseudonyms, if the redaction needs it, so that they are the same after a restart.
    func storeSecret(_ diagnostics: TelemetryDiagnosticsHandler?) {
        guard hashes else { return }
        do { try pseudonyms.store() } catch {
            let message = "The secret of pseudonyms cannot be stored, so that they will differ after a restart: \(error)"
            diagnostics?(TelemetryDiagnostic(kind: .storageFailed, message: message))
        }
    }

    /// Makes later pseudonyms differ; the secret's file is removed with the spool's.
    func forgetSecret() { pseudonyms.forget() }

    /// Applies the redaction to an event that the host logged.
    func apply(to event: inout CapturedEvent) {
        if let names = allowed(in: event.scenario) {
            event.attributes = event.attributes.filter { names.rule(for: $0.key) != nil }
        }
        if !attributes.isEmpty || otherAttributes != .keep {
            for (name, value) in event.attributes {
                switch treatment(of: name) {
                case .keep: break
                case .remove: event.attributes[name] = .string(TelemetryRedaction.placeholder)
                case .hash: event.attributes[name] = .string(pseudonyms.pseudonym(of: value.pseudonymText))
                }
            }
        }
        applyPatterns(to: &event)
    }

    /// The attributes that a scenario may have; nil for any.
    private func allowed(in scenario: String?) -> RulesByName<Void>? {
        if allowed.isEmpty { return nil }
        return scenario.flatMap { allowed[$0] }
    }

    /// Whether the redaction changes an event.
    @inline(__always)
    func changes(
        _ event: borrowing CapturedEvent, with attributes: some Collection<(key: String, value: TelemetryValue)>
    ) -> Bool {
        if let scanner, let property1 = event.property1, !scanner.matches(in: property1).isEmpty { return true }
        let names = allowed(in: event.scenario)
        for (name, value) in attributes {
            if let names, names.rule(for: name) == nil { return true }
            if treatment(of: name) != .keep { return true }
            if let scanner, case .string(let text) = value, !scanner.matches(in: text).isEmpty { return true }
        }
        return false
    }

    private func applyPatterns(to event: inout CapturedEvent) {
        guard let scanner else { return }
        if let text = event.property1, let redacted = redacted(text, scanner) { event.property1 = redacted }
        for (name, value) in event.attributes {
            if case .string(let text) = value, let redacted = redacted(text, scanner) {
                event.attributes[name] = .string(redacted)
            }
        }
    }

    /// A string without the patterns that do not stay.
    func redacted(_ text: String) -> String { scanner.flatMap { redacted(text, $0) } ?? text }

    /// Replaces the patterns in a string; nil if it has none.
    private func redacted(_ text: String, _ scanner: PatternScanner) -> String? {
        var text = text
        // Another form of string has no offsets in UTF-8 at hand.
        text.makeContiguousUTF8()
        let matches = scanner.matches(in: text)
        guard !matches.isEmpty else { return nil }
        var result = ""
        var end = text.startIndex
        for match in matches {
            let start = text.utf8.index(text.startIndex, offsetBy: match.range.lowerBound)
            result += text[end..<start]
            end = text.utf8.index(start, offsetBy: match.range.count)
            result +=
                patterns[match.pattern] == .hash
                ? pseudonyms.pseudonym(of: String(text[start..<end])) : TelemetryRedaction.placeholder
        }
        return result + text[end...]
    }
}
