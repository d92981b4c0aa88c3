import TelemetryLifecycle
import Testing

struct IdentifierGeneratorTests {
    @Test("Identifiers have at least 10 characters, none of them easily confused", arguments: [-1, 0, 9, 10, 32])
    func generates(length: Int) {
        let generator = TelemetryIdentifierGenerator(length: length)
        let identifiers = (0..<200).map { _ in generator.generateIdentifier() }
        #expect(identifiers.allSatisfy { $0.count == max(length, 10) })
        #expect(identifiers.allSatisfy { $0.allSatisfy("abcdefghjkmnpqrstuvwxyz23456789".contains) })
        #expect(Set(identifiers).count == 200)
    }
}
