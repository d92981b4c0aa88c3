import Foundation

/// An issuer of OpenID Connect whose ID tokens the relay accepts.
public struct RelayIssuer: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
    /// A role for the accounts with a value of the role's claim.
    public struct RoleRule: Sendable, Equatable {
        let role: RelayRole
        let value: String

        /// - Parameter text: such as `viewer=telemetry-admins`.
        /// - Throws: ``RelayConfigurationError`` if it is something else, or the role is not one of people.
        init(_ text: String) throws {
            let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2, let role = RelayRole(rawValue: parts[0]), RelayIssuer.roles.contains(role) else {
                throw RelayConfigurationError(
                    "oidc_role must be viewer, reader or auditor, = and a value of the claim, such as viewer=admins, not \(text)")
            }
            (self.role, value) = (role, parts[1])
        }
    }

    /// The roles that it can give; an account gets the first that it has.
    static let roles: [RelayRole] = [.viewer, .reader, .auditor]

    /// The issuer's identifier, a URL, exactly as in its tokens.
    let url: String
    let clientID: String
    /// Nil for a public client.
    let clientSecret: String?
    /// The claim with the values that give roles; dots lead into objects.
    let roleClaim: String
    let rules: [RoleRule]

    /// - Throws: ``RelayConfigurationError``.
    init(url: String, clientID: String, clientSecret: String? = nil, roleClaim: String, rules: [RoleRule]) throws {
        guard Self.isSafe(url), URLComponents(string: url)?.query == nil else {
            throw RelayConfigurationError("oidc_issuer must be an https URL without ? and #, or http on this machine, not \(url)")
        }
        guard !clientID.isEmpty else { throw RelayConfigurationError("oidc_issuer needs oidc_client_id") }
        guard clientSecret?.isEmpty != true else { throw RelayConfigurationError("the file with the client's secret is empty") }
        guard !rules.isEmpty else { throw RelayConfigurationError("oidc_issuer needs oidc_role, such as viewer=admins") }
        (self.url, self.clientID, self.clientSecret) = (url, clientID, clientSecret)
        (self.roleClaim, self.rules) = (roleClaim, rules)
    }

    public var description: String { url }

    /// Shows only the description, so that dumping a configuration does not print the client's secret.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }

    /// Whether what is sent to a URL, and its response, cannot be read or changed on the way.
    static func isSafe(_ url: String) -> Bool {
        guard let components = URLComponents(string: url), let host = components.host, !host.isEmpty, components.user == nil,
            components.fragment == nil
        else { return false }
        return components.scheme == "https" || (components.scheme == "http" && LocalName.isLocal(host))
    }
}
