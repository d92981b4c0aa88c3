public import Foundation
public import TelemetryModels
@_spi(Tooling) public import TelemetryTransport

/// The directory of a store, which may not exist yet.
public struct StoreDirectory: Sendable {
    private struct Manifest: Decodable { let version: Int }

    public let url: URL

    public init(path: String) { url = URL(fileURLWithPath: path).standardizedFileURL }

    /// Opens an existing store. A viewer does not create one.
    public func open(diagnostics: TelemetryDiagnosticsHandler? = nil) throws -> FileTelemetryTransport {
        switch try kind() {
        case nil:
            throw ToolFailure(
                .notFound, "No store at \(path). A host creates its store when it starts; check the path.")
        case .some(let kind) where kind != .typeDirectory:
            throw ToolFailure(.notFound, "\(path) is not a directory. Check the path.")
        default: return try transport(diagnostics)
        }
    }

    /// Opens a store, and creates it if it is missing.
    public func openOrCreate(diagnostics: TelemetryDiagnosticsHandler? = nil) throws -> FileTelemetryTransport {
        if let kind = try kind(), kind != .typeDirectory {
            throw ToolFailure(.cannotCreate, "\(path) is not a directory. Choose another path.")
        }
        return try transport(diagnostics)
    }

    private func transport(_ diagnostics: TelemetryDiagnosticsHandler?) throws -> FileTelemetryTransport {
        try rejectOtherContents()
        try rejectNewerFormat()
        do {
            return try FileTelemetryTransport(directory: url, configuration: .init(diagnostics: diagnostics))
        } catch let error as TelemetryTransportError where error.code == .unauthorized {
            throw ToolFailure(.noPermission, "\(error.message) Run as the user who owns \(path)\(owner.map { ": \($0)" } ?? "").")
        }
    }

    /// Rejects a directory with other contents, and leaves it unchanged.
    private func rejectOtherContents() throws {
        guard try kind() == .typeDirectory, !FileManager.default.fileExists(atPath: manifestURL.path) else { return }
        let contents: [String]
        do { contents = try FileManager.default.contentsOfDirectory(atPath: url.path) } catch { throw unreadable }
        // Another process may be creating the store: there is its temporary file, or by now the manifest.
        let isBeingMade = contents.allSatisfy { $0.hasPrefix("-") } || FileManager.default.fileExists(atPath: manifestURL.path)
        guard isBeingMade else {
            throw ToolFailure(
                .data, "\(path) is not a store, and it is not empty. Choose an empty directory or check the path.")
        }
    }

    private func rejectNewerFormat() throws {
        guard let text = SmallFile.content(of: manifestURL),
            let version = try? JSONDecoder().decode(Manifest.self, from: text).version,
            version > FileStoreVersion.current
        else { return }
        throw ToolFailure(
            .data,
            "\(path) is a store of version \(version), created by a newer LiveTelemetry; this is telemetry "
                + "\(LiveTelemetryVersion.version), which supports version \(FileStoreVersion.current). Update this tool.")
    }

    private var manifestURL: URL { url.appendingPathComponent("format.json") }

    private var path: String { url.path.visible }

    private var owner: String? {
        (try? FileManager.default.attributesOfItem(atPath: url.path))?[.ownerAccountName] as? String
    }

    private var unreadable: ToolFailure {
        ToolFailure(
            .noPermission, "Cannot read the directory \(path). Run as the user who owns it\(owner.map { ": \($0)" } ?? "").")
    }

    /// Nil if nothing exists at the path.
    private func kind() throws -> FileAttributeType? {
        // Follows symbolic links.
        let target = url.resolvingSymlinksInPath().path
        do {
            return try FileManager.default.attributesOfItem(atPath: target)[.type] as? FileAttributeType
        } catch let error as CocoaError where error.code == .fileReadNoPermission {
            throw unreadable
        } catch {
            return nil
        }
    }
}
