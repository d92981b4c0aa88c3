/// Random identifiers that a person can read out: lower-case letters and digits, without those that look alike.
public struct TelemetryIdentifierGenerator: TelemetryIdentifierGenerating {
    /// Shorter identifiers would meet each other by chance: 10 of these characters hold 49 random bits.
    public static let minimumLength = 10
    private static let alphabet = Array("abcdefghjkmnpqrstuvwxyz23456789")

    private let length: Int

    /// - Parameter length: How many characters; at least ``minimumLength``, also where fewer are asked for.
    public init(length: Int = 10) {
        self.length = max(length, Self.minimumLength)
    }

    public func generateIdentifier() -> String {
        var generator = SystemRandomNumberGenerator()
        return String((0..<length).map { _ in Self.alphabet[Int.random(in: 0..<Self.alphabet.count, using: &generator)] })
    }
}
