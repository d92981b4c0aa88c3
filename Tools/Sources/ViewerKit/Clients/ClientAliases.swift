/// The names that a viewer has given to the clients of one store.
public struct ClientAliases: Sendable, Equatable {
    /// Client identifiers by name.
    public private(set) var identifiers: [String: String] { didSet { names = Self.names(identifiers) } }
    private var names: [String: String]

    public init(_ identifiers: [String: String] = [:]) {
        self.identifiers = identifiers
        names = Self.names(identifiers)
    }

    /// The client's name; of several the first in alphabetical order.
    public func name(of clientId: String) -> String? { names[clientId] }

    /// The client's name or, without one, its identifier.
    public func label(of clientId: String) -> String { names[clientId] ?? clientId }

    /// The client's identifier, after its name if it has one.
    public func nameAndIdentifier(of clientId: String) -> String { names[clientId].map { "\($0) (\(clientId))" } ?? clientId }

    mutating func set(_ name: String, _ clientId: String) {
        // A client has one name.
        identifiers = identifiers.filter { $0.value != clientId }.merging([name: clientId]) { $1 }
    }

    mutating func remove(_ name: String) -> String? { identifiers.removeValue(forKey: name) }

    private static func names(_ identifiers: [String: String]) -> [String: String] {
        Dictionary(identifiers.map { ($0.value, $0.key) }, uniquingKeysWith: min)
    }
}
