public import Foundation
@_spi(Tooling) import TelemetryModels
@_spi(Tooling) import TelemetrySystem

/// The operations of the `webhook` command.
public struct RelayWebhooks: Sendable {
    private let storage: any RelayWebhookStorage
    private let now: @Sendable () -> Date

    public init(storage: any RelayWebhookStorage, now: @escaping @Sendable () -> Date = { Date() }) {
        self.storage = storage
        self.now = now
    }

    /// Stores a webhook.
    /// - Parameter secret: nil for a random one.
    /// - Returns: the secret if it is new.
    /// - Throws: ``RelayConfigurationError`` if the name is in use or not a name, if the URL is not one of HTTP, or if there are too many.
    public func add(_ name: String, url: String, secret: WebhookSecret? = nil) async throws -> WebhookSecret? {
        try GivenName.check(name, of: "a webhook")
        try Self.check(url)
        var generator = SystemRandomNumberGenerator()
        let made = secret == nil ? WebhookSecret.make(using: &generator) : nil
        guard let secret = secret ?? made else { throw RelayConfigurationError("the secret is too short or too long") }
        do {
            try await storage.create(RelayWebhook(name: name, url: url, secret: secret, created: now()))
        } catch RelayStorageError.nameInUse {
            throw RelayConfigurationError("a webhook is named \(name) already")
        } catch RelayStorageError.refused(let reason) {
            throw RelayConfigurationError(reason)
        }
        return made
    }

    private static func check(_ url: String) throws {
        let components = URLComponents(string: url)
        let isHTTP = ["http", "https"].contains(components?.scheme?.lowercased()) && components?.host?.isEmpty == false
        guard isHTTP, url.utf8.count <= 2_000, url.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw RelayConfigurationError("\(url) is not an http or https URL of at most 2000 ASCII characters")
        }
        guard components?.user == nil, components?.password == nil, components?.fragment == nil else {
            throw RelayConfigurationError("the URL of a webhook has no user, password or fragment")
        }
    }

    /// A line for each webhook: its name and URL, in columns.
    public func list() async throws -> [String] {
        let webhooks = try await storage.all()
        let width = webhooks.map(\.name.count).max() ?? 0
        return webhooks.map { $0.name + String(repeating: " ", count: width - $0.name.count) + "  " + $0.url }
    }

    /// Deletes a webhook and what waits to be sent to it.
    /// - Throws: ``RelayConfigurationError`` if there is no webhook with that name.
    public func remove(_ name: String) async throws {
        guard try await storage.remove(named: name) else { throw Self.unknown(name) }
    }

    /// Adds a message without events, which a relay sends.
    /// - Returns: its identifier.
    /// - Throws: ``RelayConfigurationError`` if there is no webhook with that name.
    public func test(_ name: String) async throws -> String {
        let message = AlertMessages.identifier()
        let body = AlertMessages(page: "", hasSamples: false).test(at: now())
        let isAdded: Bool
        do {
            isAdded = try await storage.add(body, as: message, to: name, before: RelayDelivery.maximumTests)
        } catch RelayStorageError.refused(let reason) {
            throw RelayConfigurationError(reason)
        }
        guard isAdded else { throw Self.unknown(name) }
        return message
    }

    /// What became of a message so far.
    public func progress(of message: String) async throws -> RelayDeliveryProgress { try await storage.progress(of: message) }

    private static func unknown(_ name: String) -> RelayConfigurationError {
        RelayConfigurationError("no webhook is named \(name)")
    }
}
