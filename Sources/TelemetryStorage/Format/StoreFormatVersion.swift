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
    package func forget() { isCurrent = false }

    /// Raises the version in an older store's manifest. A missing manifest is created when the store is opened next.
    package func upgrade() throws(FileError) {
        if isCurrent { return }
        if case .content(let bytes, _) = try system.smallFile(layout.format, limit: FileLimits.mark),
            var mark = try? JSONDecoder().decode(StoreFormat.Mark.self, from: Data(bytes)), mark.version < StoreFormat.version
        {
            mark.version = StoreFormat.version
            guard let text = try? mark.text() else { return }
            try system.replace(layout.format, isDurable: true) { file throws(FileError) in try file.write(text) }
        }
        isCurrent = true
    }
}

extension StoreFormat.Mark {
    package func text() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return try Array(encoder.encode(self)) + [UInt8(ascii: "\n")]
    }
}
