import Foundation
import Synchronization
import TelemetryModels
import TelemetrySystem

/// Computes pseudonyms under a secret that is in a file of the spool directory, or else in memory.
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

    /// The path of the secret in a spool directory.
    static func path(in directory: String) -> String { "\(directory)/pseudonyms.secret" }

    /// The pseudonym of a text.
    func pseudonym(of text: String) -> String {
        let secret = secret.withLock { secret in
            let current = secret ?? stored ?? Self.makeSecret()
            secret = current
            return current
        }
        return "#" + HMACSHA256.hexDigest(of: Array(text.utf8), key: secret).prefix(12)
    }

    /// Stores the secret, so that pseudonyms stay the same after a restart. That of another process takes precedence.
    func store() throws(FileError) {
        guard let path else { return }
        try secret.withLock { secret throws(FileError) in
            if stored == nil {
                let new = secret ?? Self.makeSecret()
                secret = new
                let isMade = try system.make(path, isDurable: true) { file throws(FileError) in try file.write(new) }
                // A file that is not a secret, such as one that a crash of the system truncated.
                if !isMade, stored == nil {
                    try system.replace(path, isDurable: true) { file throws(FileError) in try file.write(new) }
                }
            }
            secret = stored ?? secret
        }
    }

    /// Makes later pseudonyms differ from those until now, once the file is removed.
    func forget() { secret.withLock { $0 = nil } }

    /// The secret in the file; nil if there is none.
    private var stored: [UInt8]? {
        guard let path, case .content(let bytes, _)? = try? system.smallFile(path, limit: Self.secretBytes) else { return nil }
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
