import Foundation
import NIOCore
import Programs
@_spi(Tooling) import TelemetryTestKit
import Testing

@testable import TelemetryRelay

struct GzipTests {
    /// Compresses bytes with the system's gzip.
    static func compressed(_ bytes: [UInt8], level: Int = 6) async throws -> [UInt8] {
        try await withTemporaryDirectory(isCreated: true) { directory in
            let file = directory.appending(path: "input")
            try Data(bytes).write(to: file)
            let gzip = try await FinishedProgram.run(URL(filePath: "/usr/bin/env"), ["gzip", "-cn", "-\(level)", file.path])
            try #require(gzip.end == .exited(0), "\(gzip.errors)")
            return gzip.output
        }
    }

    private static func expanded(_ data: [UInt8], limit: Int) throws -> [UInt8] {
        Array(try GzipBody.decompress(ByteBuffer(bytes: data), limit: limit).readableBytesView)
    }

    /// Inputs of different kinds: repetitive, random, text.
    private static func samples() -> [[UInt8]] {
        var generator = SeededGenerator()
        let text = Array(#"{"event":"cart.opened","payload":{"n":1,"list":[true,false,null]}},"#.utf8)
        return [
            [], [0], Array(repeating: 7, count: 100_000), Array(0...255),
            (0..<70_000).map { _ in UInt8.random(in: 0...255, using: &generator) },
            (0..<2000).flatMap { _ in text.map { $0 == 0x31 ? UInt8.random(in: 0x30...0x39, using: &generator) : $0 } },
        ]
    }

    @Test("Output of gzip at any level decompresses to the original", arguments: [1, 6, 9])
    func expands(level: Int) async throws {
        for sample in Self.samples() {
            let data = try await Self.compressed(sample, level: level)
            #expect(try Self.expanded(data, limit: sample.count) == sample)
            #expect(try Self.expanded(data + data, limit: 2 * sample.count) == sample + sample)
            guard !sample.isEmpty else { continue }
            #expect(throws: GzipBody.Failure.tooLarge) { try Self.expanded(data, limit: sample.count - 1) }
        }
    }

    @Test("Truncated or damaged data is refused and does not crash the process")
    func damaged() async throws {
        let sample = Array(Self.samples()[5].prefix(2000))
        let data = try await Self.compressed(sample)
        for length in data.indices {
            #expect(throws: (any Error).self) { try Self.expanded(Array(data[..<length]), limit: 10_000) }
        }
        for index in 18..<data.count {
            for mask in [UInt8(1) << UInt8(index % 8), 0xFF] {
                var copy = data
                copy[index] ^= mask
                let expanded = try? Self.expanded(copy, limit: 10_000)
                // The last byte of the body may end in unused bits.
                #expect(expanded == nil || expanded == sample)
            }
        }
    }
}
