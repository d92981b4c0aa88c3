/// A system call on a spool's file failed.
struct SpoolError: Error, CustomStringConvertible {
    let operation: String
    let path: String
    let code: Int32

    var description: String { "\(operation) failed for \(path): \(SystemFile.message(of: code))" }
}
