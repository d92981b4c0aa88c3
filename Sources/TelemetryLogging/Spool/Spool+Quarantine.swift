import Foundation
import TelemetryModels
import TelemetrySystem

extension Spool {
    /// Renames a file that is not a valid segment, so that a developer can examine it.
    func quarantine(_ path: String, because reason: String, in orphans: inout OrphanedSegments) {
        if (try? system.rename(path, to: path + Self.quarantineSuffix)) == nil { try? system.remove(path) }
        orphans.report(.corruptFile, "\(path) was set aside as \(Self.quarantineSuffix): \(reason).")
    }

    /// Removes quarantined files of at least an age in seconds, and all but the eight newest ones.
    static func removeQuarantined(in directory: String, olderThan age: TimeInterval, _ system: FileSystem) {
        let names = (try? system.list(directory)) ?? []
        let corrupt = names.filter { $0.hasSuffix(quarantineSuffix) }.map { name -> (path: String, modified: Int64) in
            let path = "\(directory)/\(name)"
            return (path, (try? system.status(path)?.modified) ?? 0)
        }
        let now = system.now()
        for (index, file) in corrupt.sorted(by: { $0.modified > $1.modified }).enumerated()
        where index >= 8 || Double(now - file.modified) >= age { try? system.remove(file.path) }
    }
}
