public import Foundation

/// The names of clients by store, in a file that only the user can read, next to the contexts.
public struct AliasStore: Sendable {
    private struct Content: Codable {
        var version = AliasStore.version
        /// Client identifiers by name, by the store's identity.
        var stores: [String: [String: String]] = [:]
    }

    fileprivate static let version = 1
    private static let maximumBytes = 4 << 20

    /// The directory of the file.
    public let directory: URL

    public init(directory: URL) { self.directory = directory }

    /// Uses the directory of the ``ContextStore``.
    public init(environment: [String: String]) { self.init(directory: ContextStore(environment: environment).directory) }

    /// The names for a store. Returns none if there is no file.
    /// - Throws: ``ToolFailure`` for a file that is invalid, that cannot be read, or that other users can change.
    public func aliases(of store: StoreLocation) throws -> ClientAliases {
        ClientAliases(try read().stores[store.identity] ?? [:])
    }

    /// Names a client. The client's previous name is removed.
    /// - Throws: ``ToolFailure`` for an invalid name, and for the name of another client.
    public func add(_ name: String, for clientId: String, in store: StoreLocation) throws {
        try StoreContext.check(name: name, of: "an alias")
        try update(store) { aliases in
            if let other = aliases.identifiers[name], other != clientId {
                throw ToolFailure(
                    .cannotCreate,
                    "\(name) is the alias of client \(other.visible). Choose another name, or run: telemetry alias --remove \(name)"
                )
            }
            aliases.set(name, clientId)
        }
    }

    /// Removes a name, and returns the identifier of its client.
    /// - Throws: ``ToolFailure`` with the existing names if there is no such name.
    @discardableResult
    public func remove(_ name: String, in store: StoreLocation) throws -> String {
        var removed = ""
        try update(store) { aliases in
            guard let clientId = aliases.remove(name) else {
                let names = aliases.identifiers.keys.sorted().joined(separator: ", ")
                throw ToolFailure(
                    .notFound,
                    "No alias \"\(name.visible.fitted(to: 80))\" for this store. "
                        + (names.isEmpty ? "There are no aliases." : "Aliases: \(names)."))
            }
            removed = clientId
        }
        return removed
    }

    private func update(_ store: StoreLocation, _ change: (inout ClientAliases) throws -> Void) throws {
        try OwnerOnlyFile.makeDirectory(directory)
        try OwnerOnlyFile.withLock(directory.appendingPathComponent("lock")) {
            var content = try read()
            var aliases = ClientAliases(content.stores[store.identity] ?? [:])
            try change(&aliases)
            content.stores[store.identity] = aliases.identifiers.isEmpty ? nil : aliases.identifiers
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            try OwnerOnlyFile.write(try encoder.encode(content) + Data("\n".utf8), to: file)
        }
    }

    private func read() throws -> Content {
        guard FileManager.default.fileExists(atPath: file.path) else { return Content() }
        let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
        if let mode = attributes?[.posixPermissions] as? Int, mode & 0o022 != 0 {
            throw ToolFailure(
                .noPermission, "Other users of this machine can change \(path), so it was not used. Run: chmod 600 \(path)")
        }
        guard let size = attributes?[.size] as? Int, size <= Self.maximumBytes, let data = try? Data(contentsOf: file) else {
            throw ToolFailure(.noPermission, "Cannot read the aliases in \(path). Check its permissions.")
        }
        guard let content = try? JSONDecoder().decode(Content.self, from: data) else {
            throw ToolFailure(.data, "\(path) is not a valid file of aliases. Correct or delete it.")
        }
        guard content.version <= Self.version else {
            throw ToolFailure(.data, "\(path) was written by a newer telemetry. Update this tool.")
        }
        return content
    }

    private var file: URL { directory.appendingPathComponent("aliases.json") }

    private var path: String { file.path.visible }
}
