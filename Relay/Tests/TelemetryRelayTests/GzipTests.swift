import Foundation
import Testing

@testable import TelemetryRelay

struct GzipTests {
    /// What the system's gzip makes of the bytes.
    static func compressed(_ bytes: [UInt8], level: Int = 6) throws -> [UInt8] {
        let file = FileManager.default.temporaryDirectory.appending(path: "gzip-\(UUID())")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(bytes).write(to: file)
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["gzip", "-cn", "-\(level)", file.path]
        process.standardOutput = output
        try process.run()
        let result = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Array(result)
    }

    /// Bytes of many kinds: repetitive, random, text.
    private static func samples() -> [[UInt8]] {
        var generator = SystemRandomNumberGenerator()
        let text = Array(#"{"event":"cart.opened","payload":{"n":1,"list":[true,false,null]}},"#.utf8)
        return [
            [], [0], Array(repeating: 7, count: 100_000), Array(0...255),
            (0..<70_000).map { _ in UInt8.random(in: 0...255, using: &generator) },
            (0..<2000).flatMap { _ in text.map { $0 == 0x31 ? UInt8.random(in: 0x30...0x39, using: &generator) : $0 } },
        ]
    }

    @Test("What gzip compressed, at any level, expands to what it was", arguments: [1, 6, 9])
    func expands(level: Int) throws {
        for sample in Self.samples() {
            let data = try Self.compressed(sample, level: level)
            #expect(try Gzip.decompress(data, limit: sample.count) == sample)
            #expect(try Gzip.decompress(data + data, limit: 2 * sample.count) == sample + sample)
            guard !sample.isEmpty else { continue }
            #expect(throws: Inflate.TooLarge.self) { try Gzip.decompress(data, limit: sample.count - 1) }
        }
    }

    @Test("A block of the fixed code expands too")
    func fixedCode() throws {
        let text = Array("aaaaaaaaaabcaaaaaaaabc".utf8)
        // The text as zlib compresses it with its strategy Z_FIXED.
        let data: [UInt8] = [
            0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03, 0x4B, 0x4C, 0x84, 0x81, 0xA4, 0x64, 0x04, 0x0B, 0x00,
            0x0E, 0xC6, 0x48, 0xC2, 0x16, 0x00, 0x00, 0x00,
        ]
        #expect(try Gzip.decompress(data, limit: text.count) == text)
    }

    @Test("Cut or damaged anywhere, data is refused, and never ends the process")
    func damaged() throws {
        let sample = Array(Self.samples()[5].prefix(2000))
        let data = try Self.compressed(sample)
        for length in data.indices {
            #expect(throws: (any Error).self) { try Gzip.decompress(Array(data[..<length]), limit: 10_000) }
        }
        for index in 18..<data.count {
            for mask in [UInt8(1) << UInt8(index % 8), 0xFF] {
                var copy = data
                copy[index] ^= mask
                let expanded = try? Gzip.decompress(copy, limit: 10_000)
                // The last byte of the body may end in bits that mean nothing.
                #expect(expanded == nil || expanded == sample)
            }
        }
    }
}
