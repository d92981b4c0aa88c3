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

    /// The processor time that the search of one event may take, so that a busy machine does not change what is found.
    private static let maximumDuration = Duration.seconds(1)
    /// The number of ICU's progress reports in one search, in addition to one for each character. Such a report stands
    /// for some 10,000 steps.
    private static let maximumReports = 20

    let text: String
    let isExpression: Bool
    private let search: EventSearch
    private let expression: NSRegularExpression?

    /// - Throws: ``ToolFailure`` for an invalid regular expression.
    public init(_ text: String, isExpression: Bool) throws {
        self.text = text
        self.isExpression = isExpression
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
        return Self.outcome(of: expression, in: lines.joined(separator: "\n"))
    }

    private static func outcome(of expression: NSRegularExpression, in text: String) -> Outcome {
        let range = NSRange(text.startIndex..., in: text)
        let (start, limit) = (processorTime, range.length + maximumReports)
        var reports = 0
        var outcome = Outcome.noMatch
        expression.enumerateMatches(in: text, options: .reportProgress, range: range) { result, _, stop in
            if result != nil {
                outcome = .match
            } else {
                reports += 1
                if reports > limit || (reports % 8 == 0 && processorTime - start > maximumDuration) { outcome = .tooSlow }
            }
            if outcome != .noMatch { stop.pointee = true }
        }
        return outcome
    }

    /// The processor time of the current thread.
    static var processorTime: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
