public import Foundation
public import TelemetryModels
@_spi(Tooling) public import TelemetryTransport

/// A directory that is, or is to be, a store.
public struct StoreDirectory: Sendable {
    private struct Mark: Decodable { let version: Int }

    public let url: URL

    public init(path: String) { url = URL(fileURLWithPath: path).standardizedFileURL }

    /// Opens a store that is there; a viewer makes none by mistake.
    public func open(diagnostics: TelemetryDiagnosticsHandler? = nil) throws -> FileTelemetryTransport {
        switch try kind() {
        case nil:
            throw ToolFailure(
                .notFound, "There is no store at \(path); a host makes it when it starts. Check the directory's name.")
        case .some(let kind) where kind != .typeDirectory:
            throw ToolFailure(.notFound, "\(path) is no directory, so it is no store. Check the directory's name.")
        default: return try transport(diagnostics)
        }
    }

    /// Opens a store, and makes it where it is missing.
    public func openOrCreate(diagnostics: TelemetryDiagnosticsHandler? = nil) throws -> FileTelemetryTransport {
        if let kind = try kind(), kind != .typeDirectory {
            throw ToolFailure(.cannotCreate, "\(path) is no directory, so it cannot be a store. Name another one.")
        }
        return try transport(diagnostics)
    }

    private func transport(_ diagnostics: TelemetryDiagnosticsHandler?) throws -> FileTelemetryTransport {
        try refuseOtherThings()
        try refuseNewerFormat()
        do {
            return try FileTelemetryTransport(directory: url, configuration: .init(diagnostics: diagnostics))
        } catch let error as TelemetryTransportError where error.code == .unauthorized {
            throw ToolFailure(.noPermission, "\(error.message) Run as the user who owns \(path)\(owner.map { ": \($0)" } ?? "").")
        }
    }

    /// A directory that holds something else stays as it is.
    private func refuseOtherThings() throws {
        guard try kind() == .typeDirectory, !FileManager.default.fileExists(atPath: mark.path) else { return }
        let contents: [String]
        do { contents = try FileManager.default.contentsOfDirectory(atPath: url.path) } catch { throw unreadable }
        guard contents.isEmpty else {
            throw ToolFailure(
                .data, "\(path) holds other things and no store; nothing in it was touched. Check the directory's name.")
        }
    }

    private func refuseNewerFormat() throws {
        guard let text = SmallFile.content(of: mark), let version = try? JSONDecoder().decode(Mark.self, from: text).version,
            version > FileStoreVersion.current
        else { return }
        throw ToolFailure(
            .data,
            "\(path) is a store of version \(version), made by a newer LiveTelemetry; this is telemetry "
                + "\(LiveTelemetryVersion.version), which knows version \(FileStoreVersion.current). Use a newer telemetry.")
    }

    private var mark: URL { url.appendingPathComponent("format.json") }

    private var path: String { url.path.visible }

    private var owner: String? {
        (try? FileManager.default.attributesOfItem(atPath: url.path))?[.ownerAccountName] as? String
    }

    private var unreadable: ToolFailure {
        ToolFailure(
            .noPermission, "The directory \(path) cannot be read. Run as the user who owns it\(owner.map { ": \($0)" } ?? "").")
    }

    /// Nil where nothing is there.
    private func kind() throws -> FileAttributeType? {
        // Asked of what a link leads to.
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
