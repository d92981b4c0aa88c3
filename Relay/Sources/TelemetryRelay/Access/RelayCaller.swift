import Foundation

/// An authenticated caller and its permissions.
struct RelayCaller: Sendable, Equatable {
    /// How a caller was authenticated.
    enum Credential: Sendable, Hashable {
        /// No token was required.
        case none
        /// The configured token.
        case configured
        /// A token in the store, identified by its hash.
        case token(Data)
    }

    let credential: Credential
    /// The token's name; nil without one.
    let tokenName: String?
    let role: RelayRole
    /// The identifiers of a host, the current one first; empty for other roles.
    var clients: [String] = []
    /// The address of the request, or the one that the proxy reports; nil if it has none.
    var address: String?

    var actor: RelayActor { RelayActor(token: tokenName, role: role, address: address) }

    /// The clients whose data the caller may access; nil means all clients.
    var permittedClients: Set<String>? { role == .host ? Set(clients) : nil }

    /// The owners of the caller's subscriptions: viewers share one set, a host has one set for each identifier.
    var subscriptionOwners: [String] { role == .host ? clients.map { "client:\($0)" } : ["viewer"] }

    /// What a share of streams, queries or waiting bodies belongs to.
    enum Owner: Sendable, Hashable {
        /// A client's ``NameKey``, which is compared and hashed faster than a long identifier.
        case clientKey(Data)
        /// All hosts together.
        case hosts
        case credential(Credential)

        static func client(_ identifier: String) -> Self { .clientKey(NameKey.data(of: identifier)) }
    }

    /// The clients of a host, whose token is that of all installations, and all hosts; for other roles the token.
    var owners: [Owner] { role == .host ? clients.map { .client($0) } + [.hosts] : [.credential(credential)] }

    /// Narrows a filter to events that the caller may access.
    func narrow(_ filter: RelayEventFilter) -> RelayEventFilter {
        guard let permitted = permittedClients else { return filter }
        var filter = filter
        filter.clients = filter.clients.map(permitted.intersection) ?? permitted
        return filter
    }
}
