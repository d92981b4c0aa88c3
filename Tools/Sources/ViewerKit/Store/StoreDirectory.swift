public import Foundation
public import TelemetryModels
public import TelemetryTransport

/// A directory that is, or is to be, a store.
public struct StoreDirectory: Sendable {
    public let url: URL

    public init(path: String) { url = URL(fileURLWithPath: path).standardizedFileURL }

    /// Opens a store that is there; a viewer makes none by mistake.
    public func open(diagnostics: TelemetryDiagnosticsHandler? = nil) throws -> FileTelemetryTransport {
        switch kind {
        case nil:
            throw ToolFailure(
                .notFound, "There is no store at \(path); a host makes it when it starts. Check the directory's name.")
        case .some(let kind) where kind != .typeDirectory:
            throw ToolFailure(.notFound, "\(path) is no directory, so it is no store.")
        default:
            try refuseOtherThings()
            return try FileTelemetryTransport(directory: url, configuration: .init(diagnostics: diagnostics))
        }
    }

    /// Opens a store, and makes it where it is missing.
    public func openOrCreate(diagnostics: TelemetryDiagnosticsHandler? = nil) throws -> FileTelemetryTransport {
        if let kind, kind != .typeDirectory {
            throw ToolFailure(.cannotCreate, "\(path) is no directory, so it cannot be a store.")
        }
        try refuseOtherThings()
        return try FileTelemetryTransport(directory: url, configuration: .init(diagnostics: diagnostics))
    }

    /// A directory that holds something else stays as it is.
    private func refuseOtherThings() throws {
        guard kind == .typeDirectory, !FileManager.default.fileExists(atPath: url.appendingPathComponent("format.json").path)
        else { return }
        let contents: [String]
        do { contents = try FileManager.default.contentsOfDirectory(atPath: url.path) } catch {
            throw ToolFailure(.noPermission, "The directory \(path) cannot be read.")
        }
        guard contents.isEmpty else {
            throw ToolFailure(.data, "\(path) holds other things and no store; nothing in it was touched.")
        }
    }

    private var path: String { url.path.visible }

    private var kind: FileAttributeType? {
        // Asked of what a link leads to.
        let attributes = try? FileManager.default.attributesOfItem(atPath: url.resolvingSymlinksInPath().path)
        return attributes?[.type] as? FileAttributeType
    }
}
