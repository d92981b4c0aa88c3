import Foundation
import TelemetryModels

/// Applies a redaction to events.
struct Redactor: Sendable {
    private typealias Treatment = TelemetryRedaction.Treatment

    /// What becomes of attributes, by folded name.
    private let attributes: [String: Treatment]
    private let otherAttributes: Treatment
    /// By scenario, the folded names of the attributes that may stay.
    private let allowed: [String: Set<String>]
    private let patterns: [TelemetryRedaction.Pattern: Treatment]
    /// Finds the patterns that do not stay; nil if there are none.
    private let scanner: PatternScanner?
    private let pseudonyms: Pseudonyms
    /// Whether it applies to attributes by their names.
    let appliesByName: Bool

    /// Creates a redactor; nil if the redaction keeps everything.
    init?(_ redaction: TelemetryRedaction, spoolDirectory: URL?) {
        // Of two names that differ only in case, the stricter treatment applies.
        attributes = Dictionary(redaction.attributes.map { (Self.fold($0.key), $0.value) }) { Self.stricter($0, $1) }
        otherAttributes = redaction.otherAttributes
        allowed = redaction.allowed.mapValues { Set($0.map(Self.fold)) }
        patterns = redaction.patterns.filter { $0.value != .keep }
        scanner = patterns.isEmpty ? nil : PatternScanner(Set(patterns.keys))
        pseudonyms = Pseudonyms(directory: spoolDirectory)
        appliesByName = attributes.values.contains { $0 != .keep } || otherAttributes != .keep || !allowed.isEmpty
        if !appliesByName, scanner == nil { return nil }
    }

    private static func stricter(_ first: Treatment, _ second: Treatment) -> Treatment {
        if first == .remove || second == .remove { return .remove }
        return first == .hash ? .hash : second
    }

    /// What becomes of an attribute: the treatment of its own name, or else of the longest name that it is nested in.
    private func treatment(of name: String) -> Treatment {
        for name in Self.enclosingNames(of: name) {
            if let treatment = attributes[name] { return treatment }
        }
        return otherAttributes
    }

    /// A name and those that it is nested in, folded: `user.address.city`, `user.address`, `user`.
    private static func enclosingNames(of name: String) -> [String] {
        let name = fold(name)
        return [name] + name.indices.reversed().filter { name[$0] == "." }.map { String(name[..<$0]) }
    }

    /// A name that is the same for all cases of its letters.
    private static func fold(_ name: String) -> String { name.uppercased().lowercased() }

    /// Stores the secret of pseudonyms, if the redaction needs it, so that they are the same after a restart.
    func storeSecret(_ diagnostics: TelemetryDiagnosticsHandler?) {
        guard otherAttributes == .hash || attributes.values.contains(.hash) || patterns.values.contains(.hash) else { return }
        do { try pseudonyms.store() } catch {
            let message = "The secret of pseudonyms cannot be stored, so that they will differ after a restart: \(error)"
            diagnostics?(TelemetryDiagnostic(kind: .storageFailed, message: message))
        }
    }

    /// Makes pseudonyms differ from now on; the secret's file is removed with the spool's.
    func forgetSecret() { pseudonyms.forget() }

    /// Applies the redaction to an event that the host logged.
    func apply(to event: inout CapturedEvent) {
        if !allowed.isEmpty, let scenario = event.scenario, let names = allowed[scenario] {
            event.attributes = event.attributes.filter { Self.enclosingNames(of: $0.key).contains(where: names.contains) }
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

    /// Whether an event has a string with a pattern that does not stay.
    @inline(__always)
    func findsPattern(in property1: String?, _ attributes: some Collection<(key: String, value: TelemetryValue)>) -> Bool {
        guard let scanner else { return false }
        if let property1, !scanner.matches(in: property1).isEmpty { return true }
        return attributes.contains { attribute in
            if case .string(let text) = attribute.value { !scanner.matches(in: text).isEmpty } else { false }
        }
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
