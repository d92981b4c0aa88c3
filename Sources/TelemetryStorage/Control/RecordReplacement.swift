/// Where a record's file lies.
package struct RecordPlace: Equatable {
    package var path: String
    /// The directory of the record's type.
    package var directory: String

    package init(path: String, directory: String) {
        self.path = path
        self.directory = directory
    }
}

/// The replacement of a record's file by one that is written already: renaming is what is left to do.
package struct RecordReplacement {
    package let files: RecordFiles
    package let temporary: String
    package let place: RecordPlace
    /// Where the record was before: elsewhere for a record that changes its type, nil for one that is new.
    package let former: RecordPlace?

    package init(files: RecordFiles, temporary: String, place: RecordPlace, former: RecordPlace?) {
        self.files = files
        self.temporary = temporary
        self.place = place
        self.former = former
    }
    private var system: FileSystem { files.system }

    /// Puts the new file in its place and removes the former one from another; where a step fails, all is as before.
    package func make() throws(FileError) {
        // Where something can fail behind the renaming, a second name of the former file restores it without taking room.
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

    /// Removes what was written and not put in place.
    package func discard() { try? system.remove(temporary) }

    private func keep(_ former: RecordPlace) throws(FileError) -> String {
        let kept = FileSystem.temporaryPath(in: former.directory)
        try system.link(former.path, to: kept)
        return kept
    }
}
