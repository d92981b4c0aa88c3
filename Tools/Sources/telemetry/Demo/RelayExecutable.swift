import Foundation
import ViewerKit

/// Finds the program `telemetry-relay`.
enum RelayExecutable {
    static let variable = "LIVE_TELEMETRY_RELAY_EXECUTABLE"
    private static let name = "telemetry-relay"

    /// Returns the program from the option or the environment, otherwise the one in the directory of this tool, otherwise the
    /// build of the package Relay of these sources.
    /// - Throws: ``ViewerKit/ToolFailure`` if there is none.
    static func locate(
        _ option: String?, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> URL {
        if let path = option ?? environment[variable], !path.isEmpty {
            let url = URL(fileURLWithPath: path)
            guard isExecutable(url) else { throw ToolFailure(.notFound, "\(url.path.visible) is not an executable file.") }
            return url
        }
        guard let found = candidates.first(where: isExecutable) else {
            throw ToolFailure(
                .notFound,
                "The program \(name) was not found. Build it with: swift build --package-path Relay; or use "
                    + "--relay-executable FILE.")
        }
        return found
    }

    private static var candidates: [URL] {
        let tool = (Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])).resolvingSymlinksInPath()
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<5 { root.deleteLastPathComponent() }
        let build = root.appendingPathComponent("Relay/.build")
        return [tool.deletingLastPathComponent().appendingPathComponent(name)]
            + ["debug", "release"].map { build.appendingPathComponent($0).appendingPathComponent(name) }
    }

    private static func isExecutable(_ url: URL) -> Bool {
        var isDirectory: ObjCBool = false
        return FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory) && !isDirectory.boolValue
            && FileManager.default.isExecutableFile(atPath: url.path)
    }
}
