public import TelemetryModels
import TelemetrySystem

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension FileTelemetryTransport {
    /// Returns whether the directory is a store of this version that can be read and written. Records of any type can be stored.
    public func validateSchema() async -> Bool {
        do {
            _ = try StoreFormat(layout: layout, system: system).prepare()
            _ = try system.list(layout.records)
            let probe = "\(layout.directory)/-\(EventIdentifier.randomPrefix())"
            defer { try? system.remove(probe) }
            try system.open(probe, for: .create).write([UInt8(ascii: "\n")])
            return true
        } catch {
            return false
        }
    }

    /// The directory's absolute path, without symbolic links.
    public nonisolated var storeIdentifier: String? {
        "file:" + URL(fileURLWithPath: layout.directory).resolvingSymlinksInPath().path
    }

    public func debugInfo() async -> DebugInfo {
        await debugInfo(containerID: layout.directory, environment: "files in a directory")
    }
}
