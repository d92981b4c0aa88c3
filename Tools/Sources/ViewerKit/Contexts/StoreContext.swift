/// A named store, so that commands need no options to select it.
public struct StoreContext: Sendable, Equatable, Codable {
    /// The longest name, in bytes.
    private static let maximumNameBytes = 64

    public let name: String
    /// The relay's URL; nil for a directory.
    public var relay: String?
    /// The path of the file with the relay's token.
    public var tokenFile: String?
    /// The store's directory; nil for a relay.
    public var directory: String?

    public init(name: String, relay: String? = nil, tokenFile: String? = nil, directory: String? = nil) {
        self.name = name
        self.relay = relay
        self.tokenFile = tokenFile
        self.directory = directory
    }

    /// - Throws: ``ToolFailure`` for a name that is not 1 to 64 letters, digits, `.`, `-` and `_`, or that starts with `.` or `-`.
    /// - Parameter purpose: What the name is for, for the message.
    public static func check(name: String, of purpose: String = "a context") throws {
        let isValid = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        guard isValid, (1...maximumNameBytes).contains(name.utf8.count), !name.hasPrefix("."), !name.hasPrefix("-") else {
            throw ToolFailure(
                .data,
                "\"\(name.visible.fitted(to: 80))\" is not a valid name for \(purpose). Use 1 to \(maximumNameBytes) letters, "
                    + "digits, dots, hyphens and underscores, not starting with a dot or hyphen.")
        }
    }

    /// The store of this context.
    /// - Parameter token: The token for a context without a token file.
    /// - Throws: ``ToolFailure`` if the relay's URL is invalid, or the token file cannot be used.
    public func location(token: AccessToken?) throws -> StoreLocation {
        if let relay {
            let url = try RelayLocation.parse(relay).get()
            return .relay(RelayLocation(url: url, token: try tokenFile.map { try AccessToken(file: $0) } ?? token))
        }
        guard let directory, !directory.isEmpty else {
            throw ToolFailure(
                .data, "The context \(name.visible) has neither a relay nor a directory. Remove it and add it again.")
        }
        return .directory(StoreDirectory(path: directory))
    }
}
