import Foundation

/// The seed of this run's randomised tests: `TELEMETRY_SEED`, or a random one. It is printed, so that a failure can be repeated.
@_spi(Tooling) public let randomSeed: UInt64 = {
    let seed = ProcessInfo.processInfo.environment["TELEMETRY_SEED"].flatMap(UInt64.init) ?? .random(in: 0..<1 << 32)
    FileHandle.standardError.write(Data("TELEMETRY_SEED=\(seed)\n".utf8))
    return seed
}()

/// A generator that gives the same numbers for the same seed, on every machine: SplitMix64, by Sebastiano Vigna.
@_spi(Tooling) public struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    public init(seed: UInt64 = randomSeed) { state = seed }

    public mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
        return mixed ^ mixed >> 31
    }

    /// Returns true with a probability of 1 / `count`.
    public mutating func once(in count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }
}
