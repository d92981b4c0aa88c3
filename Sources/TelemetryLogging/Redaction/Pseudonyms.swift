import Foundation
import Synchronization
@_spi(Tooling) import TelemetryModels
import TelemetrySystem

/// Computes pseudonyms under a secret that is in a file of the spool directory, or else in memory. No thread waits for a file that another one
/// creates.
final class Pseudonyms: Sendable {
    private let path: String?
    private let system: FileSystem
    /// Nil until it is needed.
    private let secret = Mutex<[UInt8]?>(nil)

    private static let secretBytes = 32

    /// - Parameter directory: The spool directory; nil keeps the secret in memory.
    init(directory: URL?, system: FileSystem = FileSystem()) {
        path = directory.map { Self.path(in: $0.standardizedFileURL.path(percentEncoded: false)) }
        self.system = system
    }

    private static func path(in directory: String) -> String { "\(directory)/pseudonyms.secret" }

    /// The pseudonym of a text.
    func pseudonym(of text: String) -> String {
        let secret = secret.withLock(\.self) ?? secretIfNone((try? stored()) ?? Self.makeSecret())
        return "#" + HMACSHA256.hexDigest(of: Array(text.utf8), key: secret).prefix(12)
    }

    /// Sets the secret unless there is one, and returns the one that there is.
    private func secretIfNone(_ new: [UInt8]) -> [UInt8] {
        secret.withLock { secret in
            let current = secret ?? new
            secret = current
            return current
        }
    }

    /// Stores the secret, so that pseudonyms stay the same after a restart. One that is stored already, perhaps by another process, takes
    /// precedence.
    func store() throws {
        guard let path else { return }
        if try stored() == nil {
            let new = secretIfNone(Self.makeSecret())
            let isMade = try system.make(path, isDurable: true) { file throws(FileError) in try file.write(new) }
            // A file that is not a secret, such as one that a crash of the system truncated.
            if !isMade, try stored() == nil {
                try system.replace(path, isDurable: true) { file throws(FileError) in try file.write(new) }
            }
        }
        if let stored = try stored() { secret.withLock { $0 = stored } }
    }

    /// Makes later pseudonyms differ from those until now, once the file is removed.
    func forget() { secret.withLock { $0 = nil } }

    /// Removes the secret from a spool directory, and what a process left that was killed while it stored one.
    static func removeSecret(from directory: String, _ system: FileSystem) {
        try? system.remove(path(in: directory))
        for name in (try? system.list(directory)) ?? [] where name.hasPrefix("-") { try? system.remove("\(directory)/\(name)") }
    }

    /// The secret in the file; nil if there is none, or something else that can be replaced.
    private func stored() throws(FileError) -> [UInt8]? {
        guard let path, case .content(let bytes, let file) = try system.smallFile(path, limit: Self.secretBytes),
            try file.status().owner == system.user
        else { return nil }
        return bytes.count == Self.secretBytes ? bytes : nil
    }

    private static func makeSecret() -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<secretBytes).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}

extension TelemetryValue {
    /// The text of which a pseudonym is made: that of a number is the same as that of a string with its digits.
    var pseudonymText: String {
        switch self {
        case .string(let text): text
        case .int(let number): "\(number)"
        case .double(let number): "\(number)"
        case .bool(let isTrue): "\(isTrue)"
        case .date(let date): "\(date.timeIntervalSince1970)"
        }
    }
}
