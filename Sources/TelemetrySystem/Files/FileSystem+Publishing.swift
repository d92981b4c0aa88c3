import TelemetryModels

/// Files that are written under a temporary name and then renamed: readers see them complete or not at all.
extension FileSystem {
    /// An unpredictable name in the directory. A name with a leading hyphen is temporary, and removed when it is old.
    package static func temporaryPath(in directory: String) -> String { "\(directory)/-\(EventIdentifier.randomPrefix())" }

    /// Calls `body` with the path of a temporary file that it creates, and removes the file if `body` throws.
    package func withTemporaryPath<Result>(in directory: String, _ body: (String) throws -> Result) throws -> Result {
        let path = Self.temporaryPath(in: directory)
        do { return try body(path) } catch {
            try? remove(path)
            throw error
        }
    }

    /// Writes a temporary file and returns its path. If a step fails, the file is removed.
    ///
    /// - Parameters:
    ///   - name: A unique, unpredictable name; nil for a generated one with a leading hyphen.
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

    /// Replaces or creates a file; if a step fails, the file is unchanged.
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

    /// Creates a file unless it exists.
    /// - Returns: Whether it was created; false if another process was first.
    @discardableResult
    package func make(
        _ path: String, isDurable: Bool, _ write: (OpenFile) throws(FileError) -> Void
    ) throws(FileError) -> Bool {
        let temporary = try writeTemporary(in: Self.directory(of: path), isDurable: isDurable, write)
        defer { try? remove(temporary) }
        return try publish(temporary, as: path, isDurable: isDurable)
    }

    /// Links a temporary file to its final name unless that exists; the caller removes the temporary name.
    /// - Returns: Whether it was linked; false if another process was first.
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
