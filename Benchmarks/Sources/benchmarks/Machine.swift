import Foundation

/// On what the figures were measured.
enum Machine {
    static var description: String {
        let date = Date.now.formatted(.iso8601)
        let cores = ProcessInfo.processInfo.activeProcessorCount
        return "\(date), \(cores) cores, \(ProcessInfo.processInfo.operatingSystemVersionString), Swift \(compiler)\n"
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
