import Foundation

/// Ends the process: what must hold did not, and the fuzzer keeps the input.
func violated(_ message: String) -> Never {
    try? FileHandle.standardError.write(contentsOf: Data("violated: \(message)\n".utf8))
    abort()
}

func require(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition { violated(message()) }
}

private let isTracing = ProcessInfo.processInfo.environment["FUZZ_TRACE"] != nil

/// Says what a target does, where the environment's `FUZZ_TRACE` is set: for looking at one input.
func trace(_ step: @autoclosure () -> String) {
    if isTracing { try? FileHandle.standardError.write(contentsOf: Data("\(step())\n".utf8)) }
}
