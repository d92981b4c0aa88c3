import Foundation
import TelemetryLogging
import TelemetryModels

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The program's actual work: notes in a file, and pages fetched from the network. It logs what it does.
@MainActor
struct Notebook {
    private(set) var notes: [String] = []
    let file: URL
    let logger: any TelemetryLogging

    mutating func add(_ note: String) {
        notes.append(note)
        // The text of a note is private, so only its length is logged.
        logger.log("note.added", .userInteraction, .info, nil, ["characters": .int(Int64(note.count))])
    }

    /// Appends the new notes to the file.
    mutating func sync() throws {
        logger.log("sync.started", .dataSync, .diagnostic, file.path, ["notes": .int(Int64(notes.count))])
        do {
            var text = FileManager.default.fileExists(atPath: file.path) ? try Data(contentsOf: file) : Data()
            for note in notes { text += Data("\(note)\n".utf8) }
            try text.write(to: file, options: .atomic)
            logger.log("sync.finished", .dataSync, .info, file.path, ["bytes": .int(Int64(text.count))])
            notes = []
        } catch {
            logger.log("sync.failed", .dataSync, .info, error.localizedDescription)
            throw error
        }
    }

    /// - Returns: The status code of the response.
    func fetch(_ url: URL) async throws -> Int {
        logger.log("request.sent", .networkRequests, .diagnostic, url.host())
        let start = ContinuousClock.now
        do {
            let (body, response) = try await URLSession.shared.data(from: url)
            let status = (response as? HTTPURLResponse)?.statusCode ?? 0
            logger.log(
                "request.answered", .networkRequests, .info, url.host(),
                [
                    "status": .int(Int64(status)), "bytes": .int(Int64(body.count)),
                    "seconds": .double(start.duration(to: .now) / .seconds(1)),
                ])
            return status
        } catch {
            logger.log("request.failed", .networkRequests, .info, error.localizedDescription)
            throw error
        }
    }
}
