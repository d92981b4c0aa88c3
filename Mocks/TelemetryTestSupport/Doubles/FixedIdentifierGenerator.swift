import Synchronization
public import TelemetryLifecycle

/// Returns given identifiers in order, then repeats the last one.
public final class FixedIdentifierGenerator: TelemetryIdentifierGenerating {
    private let identifiers: [String]
    private let given = Mutex(0)

    /// Creates a generator that returns these identifiers in order, then repeats the last one.
    public init(identifiers: [String]) { self.identifiers = identifiers }

    /// Creates a generator that always returns this identifier.
    public convenience init(identifier: String = "fixedclient") { self.init(identifiers: [identifier]) }

    /// Creates a generator that always returns this identifier.
    public convenience init(_ identifier: String) { self.init(identifiers: [identifier]) }

    /// The number of identifiers that were generated.
    public var count: Int { given.withLock(\.self) }

    public func generateIdentifier() -> String {
        let index = given.withLock { given in
            defer { given += 1 }
            return given
        }
        return identifiers.isEmpty ? "fixedclient" : identifiers[min(index, identifiers.count - 1)]
    }
}
