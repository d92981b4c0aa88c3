import Foundation
import TelemetrySystem

/// The reports that Swift's backtracer writes when a program crashes, one file for each: with the environment variable
/// `SWIFT_BACKTRACE=enable=yes,output-to=DIRECTORY`, they are named `PROGRAM-PROCESS-TIME.log`. See "Backtracing in Swift" in the
/// documentation of the Swift runtime.
struct BacktraceReports: Sendable {
    /// The maximum length of a report's text, in bytes of UTF-8.
    static let textLimit = 16 << 10
    /// The maximum length in an event, which must fit into a segment.
    static func textLimit(in capture: EventCapture) -> Int { min(textLimit, capture.withState(\.store.frameBytes) / 2) }
    /// A file may seem to be older than the crash by so many seconds, because clocks of file systems are coarse.
    private static let tolerance = 2.0

    /// Nil if none are written.
    let directory: String?
    var system = FileSystem()

    /// The directory that the environment names.
    init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        let settings = environment["SWIFT_BACKTRACE"]?.split(separator: ",") ?? []
        let target = "output-to="
        directory = settings.last { $0.hasPrefix(target) }.map { String($0.dropFirst(target.count)) }
    }

    /// The text of the newest report about a process; nil if there is none, or it cannot be read.
    /// - Parameters:
    ///   - lastActive: The process did not crash before, in seconds since 2001.
    ///   - limit: The maximum length of the text, in bytes of UTF-8.
    ///   - redacted: Returns a text without what must not leave.
    func text(
        ofProcess process: Int32, since lastActive: Double, limit: Int = textLimit, redacted: (String) -> String = { $0 }
    ) -> String? {
        guard let directory else { return nil }
        let earliest = lastActive + Date.timeIntervalBetween1970AndReferenceDate - Self.tolerance
        let names = (try? system.list(directory))?.filter {
            $0.hasSuffix(".log") && $0.split(separator: "-").dropLast().last == "\(process)"
        }
        let reports = (names ?? []).compactMap { name -> (path: String, modified: Int64)? in
            let path = "\(directory)/\(name)"
            guard let status = try? system.status(path), Double(status.modified) + 1 >= earliest else { return nil }
            return (path, status.modified)
        }
        guard let newest = reports.max(by: { $0.modified < $1.modified }),
            let file = try? system.open(newest.path, for: .read), let status = try? file.status(), status.isRegularFile,
            status.owner == system.user, let bytes = try? file.read(at: 0, count: limit + 1)
        else { return nil }
        // Of a line that was read in part, what must not leave might not be recognized.
        let lines =
            bytes.count > limit ? bytes.prefix(through: bytes.lastIndex(of: UInt8(ascii: "\n")) ?? -1) + "…".utf8 : bytes[...]
        return TextLimits.cut(redacted(String(decoding: lines, as: UTF8.self)), to: limit)
    }
}
