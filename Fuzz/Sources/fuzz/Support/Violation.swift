import Foundation

/// Reports a violated requirement, and ends the process so that the fuzzer saves the input.
func violated(_ message: String) -> Never {
    try? FileHandle.standardError.write(contentsOf: Data("violated: \(message)\n".utf8))
    abort()
}

func require(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition { violated(message()) }
}

private let isTracing = ProcessInfo.processInfo.environment["FUZZ_TRACE"] != nil

/// Prints a target's step if the environment variable `FUZZ_TRACE` is set, to examine one input.
func trace(_ step: @autoclosure () -> String) {
    if isTracing { try? FileHandle.standardError.write(contentsOf: Data("\(step())\n".utf8)) }
}
