import Foundation
import TelemetryModels

/// A text or regular expression that is searched for in events, case-insensitive. The time that one search takes is limited.
public struct EventPattern: Sendable {
    /// The result of a search.
    public enum Outcome: Sendable {
        case match, noMatch
        /// The search exceeded its limits, so whether there is a match is unknown.
        case tooSlow
    }

    /// What the search of one event with an expression may use.
    public struct Limits: Sendable {
        /// For a view, which must stay responsive.
        public static let view = Limits(length: 65_536, duration: .milliseconds(100))
        /// For a command, whose result must not depend on the length of a text.
        public static let command = Limits(length: .max, duration: .seconds(1))

        /// The number of characters that are searched, in UTF-16 units.
        let length: Int
        /// In processor time, so that a busy machine does not change what is found.
        let duration: Duration
    }

    /// The maximum number of ICU's progress reports in one search, in addition to one for each character. Such a report stands
    /// for some 10,000 steps.
    private static let maximumReports = 20
    /// The limits of a search in a text of the screen, which is repeated whenever the screen is drawn.
    private static let drawing = Limits(length: Limits.view.length, duration: .milliseconds(2))
    private static let maximumHighlights = 32

    let text: String
    let isExpression: Bool
    private let limits: Limits
    private let search: EventSearch
    private let expression: NSRegularExpression?

    /// - Throws: ``ToolFailure`` for an invalid regular expression.
    public init(_ text: String, isExpression: Bool, limits: Limits) throws {
        self.text = text
        self.isExpression = isExpression
        self.limits = limits
        search = EventSearch(isExpression ? "" : text)
        guard isExpression else {
            expression = nil
            return
        }
        // In an event's strings, which are searched as lines, ^ and $ match at the start and the end of each text.
        do {
            expression = try NSRegularExpression(pattern: text, options: [.caseInsensitive, .anchorsMatchLines])
        } catch {
            throw ToolFailure(.data, "\"\(text.visible.fitted(to: 80))\" is not a valid regular expression.")
        }
    }

    func outcome(for event: TelemetryEvent) -> Outcome {
        guard let expression else { return search.matches(event) ? .match : .noMatch }
        var lines = [event.name, event.property1 ?? "", event.scenario ?? ""]
        lines += event.attributes.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.plain)" }
        return Self.first(expression, in: lines.joined(separator: "\n"), limits).outcome
    }

    /// The places in a text of the screen where the pattern matches; the first ones if there are many.
    func ranges(in text: String) -> [Range<String.Index>] {
        var found: [Range<String.Index>] = []
        var start = text.startIndex
        while start < text.endIndex, found.count < Self.maximumHighlights {
            let next: Range<String.Index>?
            if let expression {
                next = Self.first(expression, in: text, from: start, Self.drawing).range
            } else {
                next = text.range(of: self.text, options: .caseInsensitive, range: start..<text.endIndex)
            }
            guard let next, !next.isEmpty else { break }
            found.append(next)
            start = next.upperBound
        }
        return found
    }

    private static func first(
        _ expression: NSRegularExpression, in text: String, from index: String.Index? = nil, _ limits: Limits
    ) -> (outcome: Outcome, range: Range<String.Index>?) {
        var range = NSRange((index ?? text.startIndex)..., in: text)
        range.length = min(range.length, limits.length)
        let (start, limit) = (processorTime, range.length + maximumReports)
        var reports = 0
        var isTooSlow = false
        var found: NSRange?
        expression.enumerateMatches(in: text, options: .reportProgress, range: range) { result, _, stop in
            if let result {
                found = result.range
                stop.pointee = true
            } else {
                reports += 1
                isTooSlow = reports > limit || (reports % 8 == 0 && processorTime - start > limits.duration)
                if isTooSlow { stop.pointee = true }
            }
        }
        if let found { return (.match, Range(found, in: text)) }
        return (isTooSlow ? .tooSlow : .noMatch, nil)
    }

    /// The processor time of the current thread.
    static var processorTime: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
