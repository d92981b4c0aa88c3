import Foundation
import Measure
import TelemetryTransport

extension RelaySuite {
    static let streamCount = 2_000

    /// An approved host that does nothing, and the memory of streams that nothing happens on.
    func idle(for seconds: Int) async throws {
        let relay = try await RelayServer.start(executable)
        let host = try await ApprovedHost(at: relay, viewer: relay.viewer())
        // What the approval brings about is over.
        try await Task.sleep(for: .seconds(scale.quick ? 1 : 5))
        let before = try await relay.answeredRequests()
        try await Task.sleep(for: .seconds(seconds))
        let after = try await relay.answeredRequests()
        let requests = after.filter { !$0.key.contains("/metrics") }
            .compactMap { route, count in
                count > before[route, default: 0] ? "\(route): \(count - before[route, default: 0])" : nil
            }
        withExtendedLifetime(host) {}
        print("### An idle host\n")
        print("- requests in \(seconds) s: \(requests.isEmpty ? "none" : requests.sorted().joined(separator: ", "))")
        let count = scale.quick ? 50 : Self.streamCount
        // The first streams bring what is made once.
        let first = try OpenStreams(count / 10, at: relay)
        let memory = relay.process.residentBytes
        let streams = try OpenStreams(count, prefix: "idle", at: relay)
        let each = Double(relay.process.residentBytes - memory) / Double(count) / 1_024
        print(Self.verdict("the relay's memory for each of \(count) open streams", each, atMost: 40, " KB") + "\n")
        first.close()
        streams.close()
    }
}
