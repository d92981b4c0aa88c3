import Foundation
@_spi(Tooling) import TelemetryTestKit

extension TemporaryDirectory {
    /// Opens a new file with the text, for reading and writing.
    func file(_ text: String) throws -> FileHandle {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        let file = url.appending(path: "file")
        try Data(text.utf8).write(to: file)
        return try FileHandle(forUpdating: file)
    }
}
