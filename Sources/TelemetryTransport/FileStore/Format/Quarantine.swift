import TelemetryModels
import TelemetrySystem

/// Moves unreadable files to the store's directory `set-aside`, and reports them.
struct Quarantine {
    let layout: StoreLayout
    let system: FileSystem
    let diagnostics: TelemetryDiagnosticsHandler?

    /// The content of a file of at most `limit` bytes; nil if there is none, or if it was moved to quarantine.
    func content(of path: String, limit: Int) throws(FileError) -> [UInt8]? {
        switch try system.smallFile(path, limit: limit) {
        case .missing: return nil
        case .content(let bytes, _): return bytes
        case .unusable(let reason, let file):
            move(path, of: file, because: reason)
            return nil
        }
    }

    /// Moves a file to quarantine, unless the path has another file than `file` by now.
    func move(_ path: String, of file: OpenFile? = nil, because reason: String = "could not be read") {
        let name = path.dropFirst(layout.directory.count + 1).replacing("/", with: "-")
        let place = "\(layout.quarantine)/\(name)-\(EventIdentifier.randomPrefix().prefix(6))"
        do {
            try system.makeDirectory(layout.quarantine)
            guard try isSame(file, at: path) else { return }
            try system.rename(path, to: place)
            guard try isSame(file, at: place) else {
                // Another file was put there concurrently, and may have been replaced again since.
                do { try system.link(place, to: path) } catch  where error.isExisting {}
                return try system.remove(place)
            }
            diagnostics?(.init(kind: .corruptFile, message: "\(path) \(reason) and was moved to \(place)."))
        } catch {
            diagnostics?(.init(kind: .corruptFile, message: "\(path) \(reason) and could not be moved: \(error)."))
        }
    }

    /// The file stays open, so that its inode is not reused.
    private func isSame(_ file: OpenFile?, at path: String) throws(FileError) -> Bool {
        guard let file else { return true }
        return try system.status(path)?.inode == file.status().inode
    }
}
