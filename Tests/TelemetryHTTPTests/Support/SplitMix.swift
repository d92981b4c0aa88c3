import Foundation

/// The seed of a randomised test: `TELEMETRY_SEED`, or a random one.
let randomSeed =
    ProcessInfo.processInfo.environment["TELEMETRY_SEED"].flatMap(UInt64.init) ?? UInt64.random(in: 0..<1 << 32)

/// A SplitMix64 generator: the same numbers for the same seed.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
        return mixed ^ mixed >> 31
    }
}
