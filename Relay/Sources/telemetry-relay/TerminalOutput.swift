import Foundation

enum TerminalOutput {
    /// Writes a line to standard output. Throws if nobody can read it.
    static func write(_ line: String) throws { try FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8)) }
}
