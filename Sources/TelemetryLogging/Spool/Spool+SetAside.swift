import Foundation
import TelemetryModels
import TelemetryStorage

extension Spool {
    /// Keeps a file that is no segment for a developer to look at.
    func setAside(_ path: String, because reason: String, in orphans: inout OrphanedSegments) {
        if (try? system.rename(path, to: path + Self.setAsideSuffix)) == nil { try? system.remove(path) }
        orphans.report(.corruptFile, "\(path) was set aside as \(Self.setAsideSuffix): \(reason).")
    }

    /// Files that were set aside are for a developer to look at; they do not pile up.
    static func removeSetAside(in directory: String, olderThan age: TimeInterval, _ system: FileSystem) {
        let names = (try? system.list(directory)) ?? []
        let corrupt = names.filter { $0.hasSuffix(setAsideSuffix) }.map { name -> (path: String, modified: Int64) in
            let path = "\(directory)/\(name)"
            return (path, (try? system.status(path)?.modified) ?? 0)
        }
        let now = system.now()
        for (index, file) in corrupt.sorted(by: { $0.modified > $1.modified }).enumerated()
        where index >= 8 || Double(now - file.modified) >= age { try? system.remove(file.path) }
    }
}
