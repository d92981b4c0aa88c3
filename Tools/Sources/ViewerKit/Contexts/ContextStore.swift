public import Foundation

/// The contexts of a user, in files that only the user can read.
public struct ContextStore: Sendable {
    /// All contexts, and the name of the current one.
    public struct Contexts: Sendable, Equatable, Codable {
        var version = ContextStore.version
        public internal(set) var current: String?
        public internal(set) var contexts: [StoreContext] = []

        public func context(named name: String) -> StoreContext? { contexts.first { $0.name == name } }
    }

    /// The environment variable that selects a context by name.
    public static let variable = "LIVE_TELEMETRY_CONTEXT"
    fileprivate static let version = 1
    private static let maximumBytes = 1 << 20

    /// The directory of the files.
    public let directory: URL

    public init(directory: URL) { self.directory = directory }

    /// Uses `$XDG_CONFIG_HOME/live-telemetry`, by default `~/.config/live-telemetry`.
    public init(environment: [String: String]) {
        let base: URL
        if let path = environment["XDG_CONFIG_HOME"], path.hasPrefix("/") {
            base = URL(fileURLWithPath: path)
        } else if let home = environment["HOME"], home.hasPrefix("/") {
            base = URL(fileURLWithPath: home).appendingPathComponent(".config")
        } else {
            base = FileManager.default.homeDirectoryForCurrentUser.appendingPathComponent(".config")
        }
        self.init(directory: base.appendingPathComponent("live-telemetry"))
    }

    /// Reads the contexts. Returns none if there is no file.
    /// - Throws: ``ToolFailure`` for a file that is invalid, that cannot be read, or that other users can change.
    public func read() throws -> Contexts {
        guard FileManager.default.fileExists(atPath: file.path) else { return Contexts() }
        let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
        if let mode = attributes?[.posixPermissions] as? Int, mode & 0o022 != 0 {
            throw ToolFailure(
                .noPermission, "Other users of this machine can change \(path), so it was not used. Run: chmod 600 \(path)")
        }
        guard let size = attributes?[.size] as? Int, size <= Self.maximumBytes, let data = try? Data(contentsOf: file) else {
            throw ToolFailure(.noPermission, "Cannot read the contexts in \(path). Check its permissions.")
        }
        guard let contexts = try? JSONDecoder().decode(Contexts.self, from: data) else {
            throw ToolFailure(.data, "\(path) is not a valid file of contexts. Correct or delete it.")
        }
        guard contexts.version <= Self.version else {
            throw ToolFailure(.data, "\(path) was written by a newer telemetry. Update this tool.")
        }
        return contexts
    }

    /// Returns the context with this name.
    /// - Throws: ``ToolFailure`` with the existing names if there is no such context.
    public func context(named name: String) throws -> StoreContext {
        let contexts = try read()
        guard let context = contexts.context(named: name) else { throw unknown(name, contexts) }
        return context
    }

    /// Adds a context. Names that differ only in case are equal, as on some file systems.
    /// - Parameters:
    ///   - token: A token to store in a separate file, which becomes the context's token file.
    ///   - replacing: Whether to replace a context with this name; otherwise an existing one is an error.
    public func add(_ context: StoreContext, token: AccessToken? = nil, replacing: Bool) throws {
        try StoreContext.check(name: context.name)
        try update { contexts in
            let index = contexts.contexts.firstIndex { $0.name.lowercased() == context.name.lowercased() }
            if let index, !replacing || contexts.contexts[index].name != context.name {
                throw ToolFailure(
                    .cannotCreate,
                    "There is a context \(contexts.contexts[index].name) already. Choose another name, or replace it with --force."
                )
            }
            var context = context
            let stored = tokenFile(of: context.name)
            if let token {
                try OwnerOnlyFile.write(Data("\(token.value)\n".utf8), to: stored)
                context.tokenFile = stored.path
            }
            if let index {
                contexts.contexts[index] = context
            } else {
                contexts.contexts.append(context)
            }
            return { if context.tokenFile != stored.path { try? FileManager.default.removeItem(at: stored) } }
        }
    }

    /// Makes the context the current one.
    public func use(_ name: String) throws {
        try update { contexts in
            guard contexts.context(named: name) != nil else { throw unknown(name, contexts) }
            contexts.current = name
            return {}
        }
    }

    /// Removes the context, and the token that ``add(_:token:replacing:)`` stored for it.
    /// - Returns: Whether it was the current context.
    @discardableResult
    public func remove(_ name: String) throws -> Bool {
        var wasCurrent = false
        try update { contexts in
            guard contexts.context(named: name) != nil else { throw unknown(name, contexts) }
            contexts.contexts.removeAll { $0.name == name }
            wasCurrent = contexts.current == name
            if wasCurrent { contexts.current = nil }
            return { try? FileManager.default.removeItem(at: tokenFile(of: name)) }
        }
        return wasCurrent
    }

    /// The file for a token that was not given as a file.
    func tokenFile(of name: String) -> URL { directory.appendingPathComponent("token-\(name)") }

    /// - Parameter change: Changes the contexts, and returns an action to run after they are written.
    private func update(_ change: (inout Contexts) throws -> () -> Void) throws {
        try OwnerOnlyFile.makeDirectory(directory)
        try OwnerOnlyFile.withLock(directory.appendingPathComponent("lock")) {
            var contexts = try read()
            let finish = try change(&contexts)
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            try OwnerOnlyFile.write(try encoder.encode(contexts) + Data("\n".utf8), to: file)
            finish()
        }
    }

    private func unknown(_ name: String, _ contexts: Contexts) -> ToolFailure {
        let names = contexts.contexts.map(\.name.visible).sorted().joined(separator: ", ")
        return ToolFailure(
            .notFound,
            "No context \"\(name.visible.fitted(to: 80))\". "
                + (names.isEmpty ? "There are no contexts; see: telemetry context add --help" : "Contexts: \(names)."))
    }

    private var file: URL { directory.appendingPathComponent("contexts.json") }

    private var path: String { file.path.visible }
}
