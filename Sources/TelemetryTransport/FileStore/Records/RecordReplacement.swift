import TelemetrySystem

/// The location of a record's file.
struct RecordPlace: Equatable {
    var path: String
    /// The directory of the record's type.
    var directory: String
}

/// The replacement of a record's file by one that is already written and only has to be renamed.
struct RecordReplacement {
    let files: RecordFiles
    let temporary: String
    let place: RecordPlace
    /// The former location: different if the record changes its type, nil if the record is new.
    let former: RecordPlace?
    private var system: FileSystem { files.system }

    /// Moves the new file into place and removes the former one; if a step fails, both are unchanged.
    func make() throws(FileError) {
        // If a step after the rename can fail, a second link to the former file restores it without using space.
        var kept: String?
        if let former, files.isDurable || former != place { kept = try keep(former) }
        var isRenamed = false
        do {
            try system.rename(temporary, to: place.path)
            isRenamed = true
            if files.isDurable { try system.synchronizeDirectory(place.directory) }
            if let former, former != place { try files.remove(former.path, in: former.directory) }
            if let kept { try? system.remove(kept) }
        } catch {
            if isRenamed, former != place { try? system.remove(place.path) }
            if let kept, let former {
                // Renaming one of two names of a file to the other leaves both.
                try? system.rename(kept, to: former.path)
                try? system.remove(kept)
            }
            throw error
        }
    }

    /// Removes the temporary file.
    func discard() { try? system.remove(temporary) }

    private func keep(_ former: RecordPlace) throws(FileError) -> String {
        let kept = FileSystem.temporaryPath(in: former.directory)
        try system.link(former.path, to: kept)
        return kept
    }
}
