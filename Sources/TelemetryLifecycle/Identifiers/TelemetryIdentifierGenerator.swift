/// Generates random identifiers that a person can read aloud: lower-case letters and digits, without those that look alike.
public struct TelemetryIdentifierGenerator: TelemetryIdentifierGenerating {
    /// The minimum length. 10 of these characters hold 49 random bits; shorter identifiers could collide.
    public static let minimumLength = 10
    private static let alphabet = Array("abcdefghjkmnpqrstuvwxyz23456789")

    private let length: Int

    /// - Parameter length: The number of characters; values below ``minimumLength`` are raised to it.
    public init(length: Int = 10) {
        self.length = max(length, Self.minimumLength)
    }

    public func generateIdentifier() -> String {
        var generator = SystemRandomNumberGenerator()
        return String((0..<length).map { _ in Self.alphabet[Int.random(in: 0..<Self.alphabet.count, using: &generator)] })
    }
}
