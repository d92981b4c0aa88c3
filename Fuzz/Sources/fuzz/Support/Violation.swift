import Foundation

/// Ends the process: what must hold did not, and the fuzzer keeps the input.
func violated(_ message: String) -> Never {
    try? FileHandle.standardError.write(contentsOf: Data("violated: \(message)\n".utf8))
    abort()
}

func require(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition { violated(message()) }
}
