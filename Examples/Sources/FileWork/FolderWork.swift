public import Foundation
import TelemetryModels

/// Walks a folder, reads every file in it and computes its checksum.
public struct FolderWork: Work {
    private static let pieceSize = 256 * 1024

    private let root: URL

    public init(root: URL) { self.root = root }

    public var scenarios: [String] { FileScenario.allCases.map(\.rawValue) }

    public func run(_ log: WorkLog) async -> WorkSummary {
        var summary = WorkSummary()
        var waiting = [root.path]
        while let folder = waiting.popLast(), !Task.isCancelled {
            let listing = list(folder, log)
            // The last element is removed first.
            waiting += listing.folders.reversed()
            for file in listing.files {
                if Task.isCancelled { break }
                summary.bytes += read(file, log)
                summary.items += 1
                await log.keepUp()
            }
            await log.keepUp()
        }
        await log.finish()
        return summary
    }

    private func list(_ folder: String, _ log: WorkLog) -> (folders: [String], files: [String]) {
        log.log("directory.entered", .directoryWalk, .diagnostic, folder)
        var folders: [String] = []
        var files: [String] = []
        do {
            let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
            for name in names {
                let path = folder == "/" ? "/\(name)" : "\(folder)/\(name)"
                switch try? FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType {
                case .typeDirectory: folders.append(path)
                case .typeRegular: files.append(path)
                case let other:
                    // Links could form cycles, and devices may be endless.
                    log.log(
                        "entry.skipped", .directoryWalk, .diagnostic, path,
                        ["kind": .string(other?.rawValue ?? "unknown")])
                }
            }
            log.log("directory.listed", .directoryWalk, .info, folder, ["entries": .int(Int64(names.count))])
        } catch {
            log.log("directory.unreadable", .directoryWalk, .info, folder, ["error": .string(error.localizedDescription)])
        }
        return (folders, files)
    }

    /// Reads one file and returns its size in bytes.
    private func read(_ path: String, _ log: WorkLog) -> Int {
        log.log("file.opened", .fileRead, .diagnostic, path)
        var checksum = XXH64()
        var bytes = 0
        let start = ContinuousClock.now
        do {
            let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
            defer { try? file.close() }
            while let piece = try file.read(upToCount: Self.pieceSize), !piece.isEmpty {
                piece.withUnsafeBytes { checksum.update($0) }
                bytes += piece.count
            }
        } catch {
            log.log("file.unreadable", .fileRead, .info, path, ["error": .string(error.localizedDescription)])
            return bytes
        }
        let seconds = start.duration(to: .now) / .seconds(1)
        let count = bytes
        log.log("file.read", .fileRead, .info, path, ["bytes": .int(Int64(count))])
        log.log("file.hashed", .checksum, .info, path, ["xxh64": .string(checksum.digest)])
        log.log("hash.timed", .checksum, .diagnostic, path, ["bytes": .int(Int64(count)), "seconds": .double(seconds)])
        return bytes
    }
}
