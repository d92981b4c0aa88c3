import Foundation

/// Who asks, and what is open to them.
struct RelayCaller: Sendable, Equatable {
    /// How the relay knows a caller.
    enum Credential: Sendable, Hashable {
        /// No token was asked for.
        case none
        /// The token of the configuration.
        case configured
        /// A token of the store, by its hash.
        case token(Data)
    }

    let credential: Credential
    /// The token's name; nil without one.
    let tokenName: String?
    let role: RelayRole
    /// The identifiers of a host, the one that it has now first; nobody else has any.
    var clients: [String] = []

    /// The clients whose data is open to the caller; nil: everybody's.
    var permittedClients: Set<String>? { role == .host ? Set(clients) : nil }

    /// Whether everything that is read is open to the caller.
    var readsEverything: Bool { role != .host }

    /// Whose subscriptions the caller's are: viewers share theirs, a host has its own for each identifier.
    var subscriptionOwners: [String] { role == .host ? clients.map { "client:\($0)" } : ["viewer"] }

    /// Narrows a filter to what is open to the caller; what is not is as though it did not exist.
    func narrow(_ filter: RelayEventFilter) -> RelayEventFilter {
        guard let permitted = permittedClients else { return filter }
        var filter = filter
        filter.clients = filter.clients.map(permitted.intersection) ?? permitted
        return filter
    }
}
