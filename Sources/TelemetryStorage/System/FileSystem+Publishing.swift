import TelemetryModels

/// Files that are written under a temporary name and published under their own: others see them whole or not at all.
extension FileSystem {
    /// A name that nobody can know, in the directory; what begins with a hyphen is temporary, and removed when it is old.
    package static func temporaryPath(in directory: String) -> String { "\(directory)/-\(EventIdentifier.randomPrefix())" }

    /// Writes a temporary file and returns its path. Where a step fails, nothing is left of it.
    ///
    /// - Parameters:
    ///   - name: One that nobody else uses or can know; nil for one that begins with a hyphen.
    ///   - isDurable: Whether the content is on the disk when this returns.
    package func writeTemporary(
        in directory: String, named name: String? = nil, isDurable: Bool, _ write: (OpenFile) throws(FileError) -> Void
    ) throws(FileError) -> String {
        let path = name.map { "\(directory)/\($0)" } ?? Self.temporaryPath(in: directory)
        do throws(FileError) {
            let file = try open(path, for: .create)
            try write(file)
            if isDurable { try file.synchronize() }
        } catch {
            try? remove(path)
            throw error
        }
        return path
    }

    /// Replaces a file, or makes it where it is missing; where a step fails, it is as it was.
    package func replace(
        _ path: String, temporaryName: String? = nil, isDurable: Bool, _ write: (OpenFile) throws(FileError) -> Void
    ) throws(FileError) {
        let directory = Self.directory(of: path)
        let temporary = try writeTemporary(in: directory, named: temporaryName, isDurable: isDurable, write)
        do throws(FileError) { try rename(temporary, to: path) } catch {
            try? remove(temporary)
            throw error
        }
        if isDurable { try synchronizeDirectory(directory) }
    }

    /// Makes a file, unless there is one.
    /// - Returns: whether it was made; false where another process was first.
    @discardableResult
    package func make(
        _ path: String, isDurable: Bool, _ write: (OpenFile) throws(FileError) -> Void
    ) throws(FileError) -> Bool {
        let temporary = try writeTemporary(in: Self.directory(of: path), isDurable: isDurable, write)
        defer { try? remove(temporary) }
        return try publish(temporary, as: path, isDurable: isDurable)
    }

    /// Gives a temporary file its name, unless there is such a file; the temporary name stays, for the caller to remove.
    /// - Returns: whether it was made; false where another process was first.
    @discardableResult
    package func publish(_ temporary: String, as path: String, isDurable: Bool) throws(FileError) -> Bool {
        var isMade = true
        do throws(FileError) { try link(temporary, to: path) } catch {
            guard error.isExisting else { throw error }
            isMade = false
        }
        if isDurable { try synchronizeDirectory(Self.directory(of: path)) }
        return isMade
    }

    /// The directory of a file.
    package static func directory(of path: String) -> String {
        path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    }
}
