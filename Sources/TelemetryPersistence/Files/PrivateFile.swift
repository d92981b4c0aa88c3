import Foundation
import TelemetrySystem

/// A file that only its owner can read and that is replaced as a whole.
struct PrivateFile: Sendable {
    /// This package does not write larger files.
    private static let maximumBytes = 16 << 20
    private static let temporarySuffix = ".tmp"

    let path: String
    let system: FileSystem
    private var directory: String { FileSystem.directory(of: path) }
    private var name: String { String(path[path.index(path.lastIndex(of: "/") ?? path.startIndex, offsetBy: 1)...]) }

    init(_ path: String, system: FileSystem = FileSystem()) {
        self.path = path
        self.system = system
    }

    /// Returns the file's bytes; nil if there is no file.
    func read() throws(FileError) -> [UInt8]? {
        switch try system.smallFile(path, limit: Self.maximumBytes, throughLinks: true) {
        case .missing:
            // A file in place of the directory is an error, not a missing file.
            if let status = try system.statusThroughLinks(directory), !status.isDirectory { throw .notAFile(directory) }
            return nil
        case .content(let bytes, _): return bytes
        case .unusable(_, let file):
            throw try file?.status().isRegularFile == true ? .tooLarge(path) : .notAFile(path)
        }
    }

    /// Replaces the file atomically; a killed process or a power failure leaves the old or the new contents. Call it under a
    /// lock: it removes existing temporary files, which killed processes left.
    func replace(with bytes: [UInt8]) throws(FileError) {
        removeTemporaryFiles()
        // A new file with an unpredictable name, so that a file that others put into a shared directory is never opened or
        // written.
        let temporary = "\(name).\(UUID().uuidString)\(Self.temporarySuffix)"
        try system.replace(path, temporaryName: temporary, isDurable: true) { file throws(FileError) in try file.write(bytes) }
    }

    /// Removes the temporary files of killed processes.
    private func removeTemporaryFiles() {
        let prefix = "\(name)."
        for other in (try? system.list(directory)) ?? []
        where other.hasPrefix(prefix) && other.hasSuffix(Self.temporarySuffix) {
            let isOurs = UUID(uuidString: String(other.dropFirst(prefix.count).dropLast(Self.temporarySuffix.count))) != nil
            if isOurs { try? system.remove("\(directory)/\(other)") }
        }
    }

    /// Creates an empty file that survives a power failure. An existing file is not changed.
    func create() throws(FileError) {
        try system.open(path, for: .update).synchronize()
        synchronizeDirectory()
    }

    /// Removes the file if it exists.
    func remove() throws(FileError) {
        try system.remove(path)
        synchronizeDirectory()
    }

    func move(to other: String) throws(FileError) { try system.rename(path, to: other) }

    /// Failures are ignored, because not every file system supports it and the file is already written.
    private func synchronizeDirectory() { try? system.synchronizeDirectory(directory) }
}
