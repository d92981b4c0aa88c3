import TelemetryModels
@_spi(Tooling) import TelemetryTransport
import Testing

struct DamagedLineTests {
    @Test(
        "Events after a damaged header are not read; events after a damaged event are, whatever its attributes are called",
        arguments: [
            (#"{"header":{"session":"t","level":}}"#, 0), (#"{"hexder":{"session":"t"}"#, 0), (#"{"header":{"session":"t"}}"#, 0),
            (#"{"seq":2,"time":"?","name":"n","attributes":{"session":"x"}}"#, 1),
            (#"{"seq":2,"name":"n","attributes":{"header":true}"#, 1), ("garbage", 1),
        ])
    func below(damaged: String, count: Int) {
        let event = #"{"seq":3,"time":"2026-11-21T08:00:00Z","name":"n"}"#
        let lines = [#"{"header":{"session":"s"},"checksum":"0beea8d6"}"#, damaged, event, ""].joined(separator: "\n")
        #expect(EventLines.decode(Array(lines.utf8)).map(\.sequence) == (count == 1 ? [3] : []))
    }
}
