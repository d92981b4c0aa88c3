public import Foundation

/// Options from the command line and the environment. A flag overrides an environment variable; nil keeps the default.
public struct RelayOptions: Sendable, Equatable {
    public var host: String?
    public var portFile: String?
    public var database: String?
    public var tokenFile: String?
    public var tlsCertificate: String?
    public var tlsKey: String?
    /// A text as ``TokenLifetime`` reads it.
    public var auditAge: String?
    /// An `http` or `https` URL.
    public var publicURL: String?
    /// `on` or `off`.
    public var webhookSamples: String?
    /// The URL of an issuer of OpenID Connect.
    public var oidcIssuer: String?
    public var oidcClientID: String?
    public var oidcClientSecretFile: String?
    /// The claim with the values that give roles.
    public var oidcRoleClaim: String?
    /// Strings as ``RelayIssuer/RoleRule`` reads them. In the environment, semicolons separate them.
    public var oidcRole: [String] = []
    /// Texts as ``RetentionRule`` reads them. In the environment, semicolons separate them.
    public var retain: [String] = []
    public var numbers: [RelayNumber: Int] = [:]
    public var allowRemote = false
    public var behindProxy = false
    public var inMemory = false

    public init() {}

    /// The configuration that results.
    /// - Parameters:
    ///   - environment: each option's name in upper case with the prefix `TELEMETRY_RELAY_`, such as
    ///     `TELEMETRY_RELAY_BODY_LIMIT`, and `TELEMETRY_RELAY_TOKEN`.
    ///   - readFile: reads the token file.
    /// - Throws: ``RelayConfigurationError``.
    public func configuration(
        environment: [String: String], readFile: (String) throws -> String = { try String(contentsOfFile: $0, encoding: .utf8) }
    ) throws -> RelayConfiguration {
        let values = RelayOptionValues(numbers: numbers, environment: environment)
        var result = RelayConfiguration()
        result.host = values.text(host, "HOST") ?? result.host
        result.port = try values.number(.port) ?? result.port
        result.portFile = values.text(portFile, "PORT_FILE")
        if let limit = try values.number(.bodyLimit) {
            (result.bodyLimit, result.limits.bodyBytes) = (limit, limit)
        }
        if let limit = try values.number(.batchLimit) {
            (result.batchLimit, result.limits.batchEvents) = (limit, limit)
        }
        result.limits.saveRecords = try values.number(.saveLimit) ?? result.limits.saveRecords
        result.limits.page = try values.number(.pageLimit) ?? result.limits.page
        result.limits.queryTime = try values.number(.queryTime).map { .seconds($0) } ?? result.limits.queryTime
        result.limits.clientStreams = try values.number(.clientStreams) ?? result.limits.clientStreams
        result.limits.tokenStreams = try values.number(.tokenStreams) ?? result.limits.tokenStreams
        result.limits.connections = try values.number(.connections) ?? result.limits.connections
        result.limits.addressConnections = try values.number(.addressConnections) ?? result.limits.addressConnections
        result.limits.heldBytes = try values.number(.connectionBytes) ?? result.limits.heldBytes
        result.limits.recordBytesInAll = try values.number(.recordMaximumBytes) ?? result.limits.recordBytesInAll
        result.limits.waitingBytes = try values.number(.waitingBytes) ?? result.limits.waitingBytes
        try setRetention(values, &result)
        result.rates.newClients = try values.number(.newClientRate) ?? result.rates.newClients
        result.rates.client = try values.number(.clientRate) ?? result.rates.client
        result.rates.token = try values.number(.tokenRate) ?? result.rates.token
        result.rates.debugBytes = try values.number(.debugRate) ?? result.rates.debugBytes
        if let path = values.text(database, "DATABASE") {
            try setDatabase(path, &result)
        }
        if inMemory || values.isSet("IN_MEMORY") { (result.database, result.server) = (nil, nil) }
        if let path = values.text(tokenFile, "TOKEN_FILE") {
            result.token = try BearerToken(written: try readFile(path))
        } else if let token = environment["TELEMETRY_RELAY_TOKEN"] {
            result.token = try BearerToken(written: token)
        }
        try setTransport(values, &result)
        try setMessages(values, &result)
        try setIssuer(values, readFile, &result)
        return result
    }

    private func setDatabase(_ text: String, _ result: inout RelayConfiguration) throws {
        guard let server = RelayServerURL(text) else {
            result.database = URL(filePath: text)
            return
        }
        #if PostgreSQL
        result.server = server
        #else
        throw RelayConfigurationError(
            "this relay was built without PostgreSQL and cannot use \(server); build it with "
                + "swift build --package-path Relay --traits PostgreSQL, which needs libpq")
        #endif
    }

    private func setRetention(_ values: RelayOptionValues, _ result: inout RelayConfiguration) throws {
        func seconds(_ hours: Int?) -> TimeInterval? { hours.map { TimeInterval($0) * 3600 } }
        result.retention.entries = try values.number(.debugCapacity, .capacity) ?? result.retention.entries
        result.retention.bytes = try values.number(.debugMaximumBytes, .maximumBytes) ?? result.retention.bytes
        result.retention.age = seconds(try values.number(.debugMaximumAge, .maximumAge)) ?? result.retention.age
        result.eventRetention.capacity = try values.number(.eventCapacity, .capacity) ?? result.eventRetention.capacity
        result.eventRetention.bytes = try values.number(.eventMaximumBytes, .maximumBytes) ?? result.eventRetention.bytes
        result.eventRetention.age = seconds(try values.number(.eventMaximumAge, .maximumAge)) ?? result.eventRetention.age
        result.eventRetention.dedupeCapacity = try values.number(.dedupeCapacity) ?? result.eventRetention.dedupeCapacity
        result.eventRetention.dedupeWindow =
            seconds(try values.number(.dedupeWindow)) ?? result.eventRetention.dedupeWindow
        let rules = retain.isEmpty ? values.text(nil, "RETAIN")?.split(separator: ";").map(String.init) ?? [] : retain
        result.eventRetention.rules = try rules.map(RetentionRule.init)
        if let age = values.text(auditAge, "AUDIT_AGE") {
            guard let lifetime = TokenLifetime(age) else {
                throw RelayConfigurationError("audit_age must be a number and s, m, h or d, such as 400d, not \(age)")
            }
            result.auditAge = lifetime.seconds
        }
    }

    private func setIssuer(
        _ values: RelayOptionValues, _ readFile: (String) throws -> String, _ result: inout RelayConfiguration
    ) throws {
        let (url, client) = (values.text(oidcIssuer, "OIDC_ISSUER"), values.text(oidcClientID, "OIDC_CLIENT_ID"))
        let (secret, claim) = (
            values.text(oidcClientSecretFile, "OIDC_CLIENT_SECRET_FILE"), values.text(oidcRoleClaim, "OIDC_ROLE_CLAIM")
        )
        let rules = oidcRole.isEmpty ? values.text(nil, "OIDC_ROLE")?.split(separator: ";").map(String.init) ?? [] : oidcRole
        guard let url else {
            guard client == nil, secret == nil, claim == nil, rules.isEmpty else {
                throw RelayConfigurationError("the oidc options need oidc_issuer")
            }
            return
        }
        result.issuer = try RelayIssuer(
            url: url, clientID: client ?? "",
            clientSecret: secret.map { try readFile($0).trimmingCharacters(in: .whitespacesAndNewlines) },
            roleClaim: claim ?? "groups", rules: rules.map(RelayIssuer.RoleRule.init))
    }

    private func setMessages(_ values: RelayOptionValues, _ result: inout RelayConfiguration) throws {
        if let url = values.text(publicURL, "PUBLIC_URL") {
            guard let components = URLComponents(string: url), ["http", "https"].contains(components.scheme),
                components.host?.isEmpty == false, components.query == nil, components.fragment == nil
            else { throw RelayConfigurationError("public_url must be an http or https URL without ? and #, not \(url)") }
            result.publicURL = url.hasSuffix("/") ? String(url.dropLast()) : url
        }
        switch values.text(webhookSamples, "WEBHOOK_SAMPLES") {
        case nil: break
        case "on": result.hasWebhookSamples = true
        case "off": result.hasWebhookSamples = false
        case let text?: throw RelayConfigurationError("webhook_samples must be on or off, not \(text)")
        }
    }

    private func setTransport(_ values: RelayOptionValues, _ result: inout RelayConfiguration) throws {
        switch (values.text(tlsCertificate, "TLS_CERTIFICATE"), values.text(tlsKey, "TLS_KEY")) {
        case (nil, nil): break
        case (let certificate?, let key?): result.tls = RelayTLSFiles(certificate: certificate, key: key)
        default: throw RelayConfigurationError("TLS needs both --tls-certificate and --tls-key")
        }
        result.isBehindProxy = behindProxy || values.isSet("BEHIND_PROXY")
        // The flag of the earlier debug relay. Like --behind-proxy, it does not require TLS.
        let isAllowed = result.isBehindProxy || allowRemote || values.isSet("ALLOW_REMOTE")
        guard result.isLocal || result.tls != nil || isAllowed else {
            throw RelayConfigurationError(
                "\(result.host) can be reached from other machines; this requires a token and either TLS or --behind-proxy")
        }
    }
}
