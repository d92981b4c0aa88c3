import Foundation

/// A description of the machine for the figures.
enum Machine {
    static var description: String {
        let date = Date.now.formatted(.iso8601)
        let cores = ProcessInfo.processInfo.activeProcessorCount
        return "\(date), \(cores) cores\(load), \(ProcessInfo.processInfo.operatingSystemVersionString), Swift \(compiler)\n"
    }

    /// The load average of the last minute, if available.
    private static var load: String {
        let text = try? String(contentsOfFile: "/proc/loadavg", encoding: .utf8)
        return text?.split(separator: " ").first.map { " with a load of \($0)" } ?? ""
    }

    private static var compiler: String {
        #if compiler(>=6.4)
        "6.4 or newer"
        #elseif compiler(>=6.3)
        "6.3"
        #else
        "6.2"
        #endif
    }
}
