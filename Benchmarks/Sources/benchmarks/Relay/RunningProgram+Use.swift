import Foundation
import Measure
import Programs

extension RunningProgram {
    /// The next line of the output with this text.
    func line(with text: String) async throws -> String {
        guard let line = await output.first(where: { $0.contains(text) }) else {
            throw Miscount(description: "a process ended before the line \"\(text)\"")
        }
        return line
    }

    /// The process's resident memory; 0 if it is unknown.
    var residentBytes: Int { Process.residentBytes(of: identifier) }

    /// The processor time that the process has used, in seconds; 0 if it is unknown.
    var processorSeconds: Double {
        let text = (try? String(contentsOfFile: "/proc/\(identifier)/stat", encoding: .utf8)) ?? ""
        let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else { return 0 }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }
}
