import Foundation
import Measure
import Peers
@_spi(Tooling) import TelemetryLogging

extension LoggerSuite {
    /// Strings of 60 characters.
    private static let texts = [
        (name: "words", text: "the request was sent again, since the network came up later!"),
        (name: "a line of a log", text: "GET /products/37/reviews 200 in 12.5 ms, 4096 bytes: cached."),
        (name: "an email address", text: "the user someone.else@example.com has signed in with success"),
    ]

    /// Measures what the standard redaction adds to an event with one string.
    func redacted() async throws -> Comparison {
        let calls = scale.size(50_000)
        let scanner = PatternScanner(Set(TelemetryRedaction.standard.patterns.keys))
        let search = Self.texts.dropLast().map { name, text in
            Contender("the search alone, \(name)", calls: calls * 10) {
                for _ in 0..<(calls * 10) { precondition(scanner.matches(in: text).isEmpty) }
            }
        }
        let logged = Self.texts.flatMap { name, text in
            [("without", TelemetryRedaction.none), ("standard redaction", .standard)].map { label, redaction in
                Contender("\(label), \(name)") {
                    try await Self.mapped(calls, redaction: redaction) { logger in
                        let handle = logger.scenario("NetworkRequests")
                        return callerTime(calls: calls) {
                            for _ in 0..<calls { handle.log("request.finished", property1: text) }
                        }
                    }
                }
            }
        }
        return Comparison(
            "Redaction of a string of 60 characters, processor time of the caller", rounds: scale.effectiveRounds,
            contenders: search + logged,
            aims: [.of("standard redaction, words", atMost: 1.3, times: "without, words")])
    }
}
