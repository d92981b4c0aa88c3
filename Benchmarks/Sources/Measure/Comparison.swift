/// Contenders for the same task, measured in alternating rounds, and the target ratios between them.
///
/// Each round starts with a different contender, so that other load on the machine affects all of them equally. Medians are
/// compared.
public struct Comparison {
    /// A target ratio between two contenders.
    public struct Aim {
        let numerator, denominator: String
        let atMost: Double

        /// The first contender's figure is at most `ratio` times the second's.
        public static func of(_ numerator: String, atMost ratio: Double, times denominator: String) -> Aim {
            Aim(numerator: numerator, denominator: denominator, atMost: ratio)
        }
    }

    public let title: String
    let unit: Unit
    let rounds: Int
    let contenders: [Contender]
    let aims: [Aim]

    public init(_ title: String, unit: Unit = .nanoseconds, rounds: Int, contenders: [Contender], aims: [Aim] = []) {
        self.title = title
        self.unit = unit
        self.rounds = rounds
        self.contenders = contenders
        self.aims = aims
    }

    /// Runs every contender once as a warm-up, then in turns, and returns the measurements.
    public func run() async throws -> Result {
        var samples = [[Double]](repeating: [], count: contenders.count)
        for contender in contenders { _ = try await contender.run() }
        for round in 0..<rounds {
            for offset in contenders.indices {
                let index = (round + offset) % contenders.count
                samples[index].append(try await contenders[index].run())
            }
        }
        return Result(comparison: self, samples: samples.map { $0.sorted() })
    }
}
