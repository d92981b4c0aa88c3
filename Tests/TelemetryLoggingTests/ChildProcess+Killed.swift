import Foundation
@_spi(Tooling) import TelemetryTestKit
import Testing

#if os(Linux) || os(macOS)
extension ChildProcess {
    /// Starts `TelemetryCrashLogger`, which logs until it is killed, kills it once it has printed some bytes, and returns its complete
    /// lines.
    static func killed(_ arguments: [String], after moment: Int) throws -> [String] {
        let process = try ChildProcess(built("TelemetryCrashLogger"), arguments, pipeBytes: 4_096)
        var bytes = Data()
        while bytes.count < moment, let more = process.read(atMost: 64) { bytes += more }
        let (rest, wasKilled) = process.kill()
        #expect(wasKilled)
        return lines(of: bytes + rest)
    }

    /// Starts `TelemetryCrashLogger`, which ends by itself, and returns its complete lines.
    static func ended(_ arguments: [String]) throws -> [String] {
        lines(of: try ChildProcess(built("TelemetryCrashLogger"), arguments).end())
    }

    /// A line without a newline was not printed completely.
    private static func lines(of bytes: Data) -> [String] {
        String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(
            String.init)
    }
}
#endif
