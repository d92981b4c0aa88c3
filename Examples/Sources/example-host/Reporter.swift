import Foundation

/// Prints the host's reports, one per line.
struct Reporter: Sendable {
    let asJSON: Bool

    func report(_ report: Report) {
        let line = asJSON ? report.json : report.text
        // If the output is closed, reports are discarded.
        try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
    }
}

/// One report of the host.
enum Report {
    case ready(scenarios: [String], session: String)
    case state(State)
    case worked(Pass)
    case resting(run: Int)
    case fetched(Fetcher.Answer)
    case problem(String)
    case ended(session: Bool)

    struct State: Equatable {
        var status: String
        var client: String?
        var scenarios: [String: Bool]
        /// The rules whose triggers watch the events.
        var rules: [String]
    }

    struct Pass {
        var number: Int
        var items: Int
        var bytes: Int
        var recorded: [String: Int]
        var seconds: Double
    }

    var text: String {
        switch self {
        case .ready(let scenarios, _): "ready, with \(scenarios.count) scenarios: \(scenarios.joined(separator: ", "))"
        case .state(let state): state.text
        case .worked(let pass):
            "run \(pass.number): \(pass.items) items, \(pass.bytes) bytes, \(pass.recorded.values.reduce(0, +)) events recorded"
        case .resting(let run): "stopped after run \(run)"
        case .fetched(let answer):
            (["fetched \(answer.url): status \(answer.status)"] + (answer.correlation.map { ["correlation \($0)"] } ?? []))
                .joined(separator: " · ")
        case .problem(let message): "! \(message)"
        case .ended(let session): session ? "session ended" : "stopped; recorded events stay in the store"
        }
    }

    var json: String {
        var fields: [String: Any] = [:]
        switch self {
        case .ready(let scenarios, let session):
            fields = ["report": "ready", "scenarios": scenarios, "session": session]
        case .state(let state):
            fields = ["report": "state", "status": state.status, "states": state.scenarios, "rules": state.rules]
            fields["client"] = state.client
        case .worked(let pass):
            fields = [
                "report": "worked", "run": pass.number, "items": pass.items, "bytes": pass.bytes, "recorded": pass.recorded,
                "seconds": pass.seconds,
            ]
        case .resting(let run): fields = ["report": "resting", "run": run]
        case .fetched(let answer):
            fields = ["report": "fetched", "url": answer.url, "status": answer.status]
            fields["correlation"] = answer.correlation
        case .problem(let message): fields = ["report": "problem", "message": message]
        case .ended(let session): fields = ["report": "ended", "session": session]
        }
        let data = try? JSONSerialization.data(withJSONObject: fields, options: [.sortedKeys, .withoutEscapingSlashes])
        return data.map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }
}

extension Report.State {
    fileprivate var text: String {
        let states = scenarios.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value ? "on" : "off")" }
        return [
            "telemetry: \(status)", client.map { "client \($0)" }, states.isEmpty ? nil : states.joined(separator: ", "),
            rules.isEmpty ? nil : "watched by \(rules.count == 1 ? "a rule" : "\(rules.count) rules")",
        ].compactMap(\.self).joined(separator: " · ")
    }
}
