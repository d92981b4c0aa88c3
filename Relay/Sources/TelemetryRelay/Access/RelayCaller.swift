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
        /// An ID token of an account.
        case identity(subject: Data, expires: Date)
    }

    let credential: Credential
    /// The name of the token or the account; nil without one.
    let tokenName: String?
    let role: RelayRole
    /// The identifiers of a host, the current one first; empty for other roles.
    var clients: [String] = []
    /// What the token is limited to; nil if it is not.
    var scope: RelayScope?
    /// The address of the request, or the one that the proxy reports; nil if it has none.
    var address: String?

    var actor: RelayActor { RelayActor(token: tokenName, role: role, address: address) }

    /// The owners of the caller's subscriptions: a host has one set for each identifier, a token with a scope its own, and other viewers
    /// share one.
    var subscriptionOwners: [String] {
        if role == .host { return clients.map { "client:\($0)" } }
        return [scope == nil ? Self.sharedOwner : "token:\(tokenName ?? "")"]
    }

    /// The owners of the subscriptions by which the caller is notified. A token with a scope is notified by those of other viewers, too.
    var notifyingOwners: [String] { scope == nil ? subscriptionOwners : subscriptionOwners + [Self.sharedOwner] }

    private static let sharedOwner = "viewer"

    /// What a share of streams, queries or waiting bodies belongs to.
    enum Owner: Sendable, Hashable {
        /// A client's ``NameKey``, which is compared and hashed faster than a long identifier.
        case clientKey(Data)
        /// All hosts together.
        case hosts
        case credential(Credential)
        /// An account, whatever ID token it has.
        case account(Data)

        static func client(_ identifier: String) -> Self { .clientKey(NameKey.data(of: identifier)) }
    }

    /// The owners whose shares the caller uses. Hosts may share one token: a host's owners are its clients, and all hosts together; any
    /// other caller's is its token or account.
    var owners: [Owner] {
        if role == .host { return clients.map { .client($0) } + [.hosts] }
        return if case .identity(let subject, _) = credential { [.account(subject)] } else { [.credential(credential)] }
    }
}
