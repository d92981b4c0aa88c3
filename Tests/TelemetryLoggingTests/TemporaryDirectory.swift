import Foundation
@_spi(Tooling) import TelemetryTestKit

extension TemporaryDirectory {
    /// The names of its contents; empty if it does not exist.
    var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).sorted()
    }

    func url(of name: String) -> URL { url.appending(path: name) }

    func permissions(of name: String? = nil) throws -> Int? {
        let file = name.map(url(of:)) ?? url
        return try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
    }

    /// A copy, as a process that starts after this one was killed finds it.
    func copy() throws -> TemporaryDirectory {
        let copy = TemporaryDirectory()
        try FileManager.default.copyItem(at: url, to: copy.url)
        return copy
    }
}
