import TelemetryModels

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The version in the store's manifest, which is raised before the first line that an older version cannot read.
package final class StoreFormatVersion {
    private let layout: StoreLayout
    private let system: FileSystem
    private var isCurrent = false

    package init(layout: StoreLayout, system: FileSystem) {
        self.layout = layout
        self.system = system
    }

    /// Discards the cached version.
    package func invalidate() { isCurrent = false }

    /// Raises the version in an older store's manifest. A missing manifest is created when the store is opened next.
    package func upgrade() throws(FileError) {
        if isCurrent { return }
        if case .content(let bytes, _) = try system.smallFile(layout.format, limit: FileLimits.manifest),
            var manifest = try? JSONDecoder().decode(StoreFormat.Manifest.self, from: Data(bytes)),
            manifest.version < StoreFormat.version
        {
            manifest.version = StoreFormat.version
            guard let text = try? manifest.text() else { return }
            try system.replace(layout.format, isDurable: true) { file throws(FileError) in try file.write(text) }
        }
        isCurrent = true
    }
}

extension StoreFormat.Manifest {
    package func text() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return try Array(encoder.encode(self)) + [UInt8(ascii: "\n")]
    }
}
