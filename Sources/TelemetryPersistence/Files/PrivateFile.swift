import Foundation
import TelemetryStorage

/// Files that only their owner reads, written whole.
struct PrivateFile: Sendable {
    /// Larger files are none that this package wrote.
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

    /// The file's bytes; nil where there is no such file.
    func read() throws(FileError) -> [UInt8]? {
        switch try system.smallFile(path, limit: Self.maximumBytes, throughLinks: true) {
        case .missing:
            // A file where the directory should be is a mistake, and nothing that is merely missing yet.
            if let status = try system.statusThroughLinks(directory), !status.isDirectory { throw .notAFile(directory) }
            return nil
        case .content(let bytes, _): return bytes
        case .unusable(_, let file):
            throw try file?.status().isRegularFile == true ? .tooLarge(path) : .notAFile(path)
        }
    }

    /// Replaces the file as one step that survives a killed process and a power cut. Call it under a lock: temporary files that
    /// are there already are what killed processes left, and are removed.
    func replace(with bytes: [UInt8]) throws(FileError) {
        removeTemporaryFiles()
        // A new file under a name that nobody can know: what others put into a shared directory is never opened or written.
        let temporary = "\(name).\(UUID().uuidString)\(Self.temporarySuffix)"
        try system.replace(path, temporaryName: temporary, isDurable: true) { file throws(FileError) in try file.write(bytes) }
    }

    /// Removes what replacing the file left when its process was killed, also under the one name that earlier versions used.
    private func removeTemporaryFiles() {
        let prefix = "\(name)."
        for other in (try? system.list(directory)) ?? []
        where other.hasPrefix(prefix) && other.hasSuffix(Self.temporarySuffix) {
            let isOurs = UUID(uuidString: String(other.dropFirst(prefix.count).dropLast(Self.temporarySuffix.count))) != nil
            if isOurs || other == prefix + Self.temporarySuffix.dropFirst() { try? system.remove("\(directory)/\(other)") }
        }
    }

    /// Makes an empty file, which survives a power cut; one that is there already stays as it is.
    func create() throws(FileError) {
        try system.open(path, for: .update).synchronize()
        synchronizeDirectory()
    }

    /// Removes the file; one that is not there is no error.
    func remove() throws(FileError) {
        try system.remove(path)
        synchronizeDirectory()
    }

    func move(to other: String) throws(FileError) { try system.rename(path, to: other) }

    /// Not every file system can; the file itself is written by then.
    private func synchronizeDirectory() { try? system.synchronizeDirectory(directory) }
}
