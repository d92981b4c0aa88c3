import Foundation
import JWTKit

/// The claims of an ID token. See OpenID Connect Core 1.0, sections 2 and 3.1.3.7.
struct IdentityClaims: JWTPayload, Equatable {
    /// A claim's value.
    enum Value: Codable, Sendable, Equatable {
        case text(String)
        case flag(Bool)
        case number(Double)
        case list([Value])
        case object([String: Value])
        case null

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                self = .null
            } else if let text = try? container.decode(String.self) {
                self = .text(text)
            } else if let flag = try? container.decode(Bool.self) {
                self = .flag(flag)
            } else if let number = try? container.decode(Double.self) {
                self = .number(number)
            } else if let list = try? container.decode([Value].self) {
                self = .list(list)
            } else {
                self = .object(try container.decode([String: Value].self))
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .text(let text): try container.encode(text)
            case .flag(let flag): try container.encode(flag)
            case .number(let number): try container.encode(number)
            case .list(let list): try container.encode(list)
            case .object(let object): try container.encode(object)
            case .null: try container.encodeNil()
            }
        }

        /// The string, or the strings of a list.
        var strings: [String] {
            switch self {
            case .text(let text): [text]
            case .list(let list): list.compactMap { if case .text(let text) = $0 { text } else { nil } }
            default: []
            }
        }
    }

    /// How far the issuer's clock may be ahead of the relay's, in seconds.
    static let clockTolerance: TimeInterval = 5

    let values: [String: Value]

    init(values: [String: Value]) { self.values = values }

    init(from decoder: any Decoder) throws { values = try decoder.singleValueContainer().decode([String: Value].self) }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(values)
    }

    /// Does nothing: ``fault(for:at:)`` needs more than the claims.
    func verify(using algorithm: some JWTAlgorithm) {}

    func text(_ claim: String) -> String? { if case .text(let text)? = values[claim] { text } else { nil } }

    private func date(_ claim: String) -> Date? {
        guard case .number(let seconds)? = values[claim] else { return nil }
        return Date(timeIntervalSince1970: seconds)
    }

    var expires: Date? { date("exp") }

    /// Why an issuer's client may not accept the token at a time; nil if it may.
    func fault(for issuer: RelayIssuer, at now: Date) -> String? {
        func isSame(_ one: String?, _ other: String) -> Bool { one.map { Array($0.utf8) } == Array(other.utf8) }
        guard isSame(text("iss"), issuer.url) else { return "it is of another issuer" }
        let audience = values["aud"]?.strings ?? []
        guard audience.contains(where: { isSame($0, issuer.clientID) }) else { return "it is for another client" }
        guard values["azp"] == nil && audience.count == 1 || isSame(text("azp"), issuer.clientID) else {
            return "it was issued to another client"
        }
        guard let expires, expires > now else { return "it has expired" }
        if values["nbf"] != nil {
            guard let start = date("nbf"), start <= now + Self.clockTolerance else { return "it is not valid yet" }
        }
        // Issuers sign other tokens with the same keys: access tokens, of which Keycloak says "Bearer", and logout tokens.
        guard values["typ"] == nil || text("typ") == "ID", values["events"] == nil else { return "it is not an ID token" }
        guard text("sub").map({ !$0.isEmpty }) ?? false else { return "it has no subject" }
        return nil
    }

    /// Whether the issuer does not say that the email may be that of somebody else.
    private var isEmailVerified: Bool { values["email_verified"].map { $0 == .flag(true) || $0 == .text("true") } ?? true }

    /// The name of the account: its email, unless the issuer says that it is not verified, otherwise its subject.
    var name: String {
        if isEmailVerified, let email = text("email"), (try? GivenName.check(email, of: "An account")) != nil { return email }
        let subject = text("sub") ?? ""
        return (try? GivenName.check(subject, of: "An account")) == nil ? "account" : subject
    }

    /// The role that the issuer's rules give; nil for none.
    func role(by issuer: RelayIssuer) -> RelayRole? {
        let strings = Set(values(of: issuer.roleClaim).map { Array($0.utf8) })
        return RelayIssuer.roles.first { role in
            issuer.rules.contains { $0.role == role && strings.contains(Array($0.value.utf8)) }
        }
    }

    private func values(of claim: String) -> [String] {
        guard claim != "email" || values["email_verified"] == .flag(true) else { return [] }
        if let value = values[claim] { return value.strings }
        var value = Value.object(values)
        for part in claim.split(separator: ".") {
            guard case .object(let object) = value, let next = object[String(part)] else { return [] }
            value = next
        }
        return value.strings
    }
}
