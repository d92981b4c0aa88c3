import Foundation
@_spi(Tooling) import TelemetryTestKit
import Testing

@testable import TelemetryHTTP

struct GzipEncoderTests {
    @Test("What is compressed expands to itself")
    func roundTrip() throws {
        var random = SeededGenerator()
        let noise = Data((0..<5_000).map { _ in UInt8.random(in: 0...255, using: &random) })
        let text = Data(
            (0..<500).map { #"{"eventId":"5f0c1d9e-0-\#($0)","property1":"GET /api/v2/items/\#($0)"}"# }.joined().utf8)
        let samples = [
            Data(), Data("abc".utf8), Data("abcd".utf8), Data(repeating: 7, count: 100_000), noise, text,
            // Matches that end with the data, and that are too far away.
            Data("abcdabcd".utf8), text + Data(repeating: 1, count: 40_000) + text, Data((0...255)) + Data((0...255)),
        ]
        for sample in samples { #expect(Gunzip.expanded(GzipEncoder.encode(sample)) == sample) }
    }

    @Test("Every length and every distance of a match expands")
    func matches() throws {
        var data = Data((0..<33_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) })
        for length in 4...300 {
            let start = data.count - 32_768 + length * 109
            data += data[max(0, start)..<min(data.count, max(0, start) + length)] + Data([0, 255])
        }
        #expect(Gunzip.expanded(GzipEncoder.encode(data)) == data)
    }

    @Test("A batch of events becomes a small part of itself")
    func size() throws {
        let events = (0..<50).map { #"{"eventId":"5f0c1d9e-0-\#($0)","sequence":\#($0),"eventName":"request.finished"}"# }
        let data = Data(events.joined(separator: ",").utf8)
        #expect(GzipEncoder.encode(data).count * 5 < data.count)
    }
}
