/// Selects a store from options, the environment and the contexts.
///
/// The order is: an explicit store, an explicit context, the environment, the current context.
public struct StoreChoice: Sendable {
    /// The environment variable with a store's directory.
    public static let directoryVariable = "LIVE_TELEMETRY_STORE"

    public var directory: String?
    public var relay: String?
    public var tokenFile: String?
    public var context: String?

    public init(directory: String? = nil, relay: String? = nil, tokenFile: String? = nil, context: String? = nil) {
        self.directory = directory
        self.relay = relay
        self.tokenFile = tokenFile
        self.context = context
    }

    /// Describes an error in the options; nil if there is none.
    public var conflict: String? {
        if directory != nil, relay != nil { return "Give --directory or --relay, not both." }
        if directory?.isEmpty == true { return "--directory is empty. Check that its variable is set." }
        if relay?.isEmpty == true { return "--relay is empty. Check that its variable is set." }
        if tokenFile != nil, directory != nil { return "--token-file requires --relay: a directory needs no token." }
        if let relay, case .failure(let failure) = RelayLocation.parse(relay) { return failure.message }
        return nil
    }

    /// The selected store, or nil if nothing selects one.
    /// - Throws: ``ToolFailure`` if the context is unknown or the token cannot be used.
    public func location(environment: [String: String], contexts: ContextStore) throws -> StoreLocation? {
        if let directory { return .directory(StoreDirectory(path: directory)) }
        if let relay {
            return .relay(RelayLocation(url: try RelayLocation.parse(relay).get(), token: try token(environment)))
        }
        if let context { return try location(of: try contexts.context(named: context), environment) }
        if let path = environment[Self.directoryVariable], !path.isEmpty {
            try rejectTokenFile(of: "\(Self.directoryVariable) selects a directory")
            return .directory(StoreDirectory(path: path))
        }
        if let name = environment[ContextStore.variable], !name.isEmpty {
            return try location(of: try contexts.context(named: name), environment)
        }
        let known = try contexts.read()
        return try known.current.map { name in
            guard let context = known.context(named: name) else {
                throw ToolFailure(
                    .notFound, "The current context \(name.visible) is missing. Choose one: telemetry context use NAME")
            }
            return try location(of: context, environment)
        }
    }

    private func location(of context: StoreContext, _ environment: [String: String]) throws -> StoreLocation {
        guard context.relay != nil else {
            try rejectTokenFile(of: "the context \(context.name) is a directory")
            return try context.location(token: nil)
        }
        var context = context
        if let tokenFile { context.tokenFile = tokenFile }
        return try context.location(token: context.tokenFile == nil ? try token(environment) : nil)
    }

    private func token(_ environment: [String: String]) throws -> AccessToken? {
        if let tokenFile { return try AccessToken(file: tokenFile) }
        guard let text = environment[RelayLocation.tokenVariable], !text.isEmpty else { return nil }
        return try AccessToken(text, source: RelayLocation.tokenVariable)
    }

    private func rejectTokenFile(of reason: String) throws {
        if tokenFile != nil { throw ToolFailure(.data, "--token-file requires a relay, but \(reason).") }
    }
}
