import Foundation
import TelemetryModels

extension Spool {
    /// Keeps a file that is no segment for a developer to look at.
    static func setAside(_ path: String, because reason: String, in orphans: inout OrphanedSegments) {
        _ = try? FileManager.default.moveItem(atPath: path, toPath: path + setAsideSuffix)
        SystemFile.remove(path)
        orphans.report(.corruptFile, "\(path) was set aside as \(setAsideSuffix): \(reason).")
    }

    /// Files that were set aside are for a developer to look at; they do not pile up.
    static func removeSetAside(in directory: String, olderThan age: TimeInterval) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        let corrupt = names.filter { $0.hasSuffix(setAsideSuffix) }.map { name -> (path: String, date: Date) in
            let file = "\(directory)/\(name)"
            let attributes = try? FileManager.default.attributesOfItem(atPath: file)
            return (file, attributes?[.modificationDate] as? Date ?? .distantPast)
        }
        for (index, file) in corrupt.sorted(by: { $0.date > $1.date }).enumerated()
        where index >= 8 || -file.date.timeIntervalSinceNow >= age { try? FileManager.default.removeItem(atPath: file.path) }
    }
}
