import Foundation

/// The function that libFuzzer calls with each input. The environment variable `FUZZ_TARGET` selects the target. One program
/// contains all targets, because linking a dozen takes longer than running them.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    selected.run(UnsafeBufferPointer(start: bytes, count: count))
    return 0
}

private let selected: FuzzTarget = {
    let name = ProcessInfo.processInfo.environment["FUZZ_TARGET"] ?? ""
    guard let target = FuzzTarget.all.first(where: { $0.name == name }) else {
        violated("FUZZ_TARGET must be one of \(FuzzTarget.all.map(\.name).joined(separator: " "))")
    }
    return target
}()
