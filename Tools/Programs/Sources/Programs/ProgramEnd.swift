import Subprocess

/// How a program ended.
public enum ProgramEnd: Sendable, Hashable {
    case exited(Int32)
    case killed(by: Int32)

    /// The exit code; nil if a signal ended the program.
    public var code: Int32? {
        switch self {
        case .exited(let code): code
        case .killed: nil
        }
    }

    init(_ status: TerminationStatus) {
        switch status {
        case .exited(let code): self = .exited(code)
        case .signaled(let number): self = .killed(by: number)
        }
    }
}
