/// A system call on a spool's file failed.
struct SpoolError: Error, CustomStringConvertible {
    let operation: String
    let path: String
    let code: Int32

    /// Whether the file itself is at fault, and not the moment: what is no ordinary file will never be one.
    var isLasting: Bool { SystemFile.isLasting(code) }

    /// Whether somebody was faster and removed the file.
    var isMissing: Bool { SystemFile.isMissing(code) }

    var description: String { "\(operation) failed for \(path): \(SystemFile.message(of: code))" }
}
