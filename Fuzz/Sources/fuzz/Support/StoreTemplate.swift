import Foundation
import TelemetryModels
import TelemetryTransport

/// A small store with all kinds of contents, created once and copied for each input.
struct StoreTemplate: Sendable {
    struct File: Sendable {
        let path: String
        let bytes: [UInt8]
        let mode: mode_t
    }

    static let clients: [String?] = ["alpha", "beta", nil]
    static let shared = StoreTemplate()

    let directories: [String]
    let files: [File]

    private init() {
        let root = Scratch.fresh("template")
        wait { await Self.fill(root) }
        var directories: [String] = []
        var files: [File] = []
        var pending = [""]
        while let directory = pending.popLast() {
            directories.append(directory)
            for name in Scratch.names(in: root + directory).sorted() {
                var status = stat()
                lstat("\(root)\(directory)/\(name)", &status)
                if status.st_mode & S_IFMT == S_IFDIR {
                    pending.append("\(directory)/\(name)")
                } else {
                    let path = "\(directory)/\(name)"
                    files.append(File(path: path, bytes: Scratch.read(root + path), mode: status.st_mode & 0o777))
                }
            }
        }
        self.directories = directories
        self.files = files
        Scratch.remove(root)
    }

    func copy(to root: String) {
        for directory in directories { mkdir(root + directory, 0o700) }
        for file in files { Scratch.write(file.bytes, to: root + file.path, mode: file.mode) }
    }

    static func open(_ root: String, isRetaining: Bool = true) throws -> FileTelemetryTransport {
        try FileTelemetryTransport(
            directory: URL(filePath: root),
            configuration: .init(
                retention: isRetaining ? .unlimited : .init(bytesPerClient: 3_000), segmentBytes: 900, journalBytes: 700,
                lockTimeout: .milliseconds(20)))
    }

    static func session(of client: String?) -> String { "session-\(client ?? "nobody")" }

    /// An event whose text is its identifier, so that damaged events can be recognized.
    static func event(_ number: Int, of client: String?) -> TelemetryEvent {
        let session = session(of: client)
        let identifier = number % 5 == 4 ? "id-\(client ?? "nobody")-\(number)" : "\(session)-\(number)"
        return TelemetryEvent(
            eventId: identifier, clientId: client, sessionId: session, sequence: UInt64(number),
            name: ["first", "second", "third"][number % 3],
            timestamp: Date(timeIntervalSince1970: 1_700_000_000 + Double(number)),
            device: TelemetryDeviceInfo(
                deviceType: "t", deviceName: "n", deviceModel: "m", osVersion: "o", appVersion: "a"),
            threadId: "1", property1: identifier, attributes: number % 4 == 0 ? ["n": .int(Int64(number))] : [:],
            scenario: number % 2 == 0 ? "even" : nil)
    }

    private static func fill(_ root: String) async {
        do {
            let transport = try open(root)
            for round in 0..<4 {
                for client in clients { try await transport.append((0..<4).map { event(round * 4 + $0, of: client) }) }
            }
            try await transport.deleteEvents(matching: .init(clientId: "beta", names: ["third"]))
            _ = try await transport.save(
                [TelemetryRecord(recordType: "T", recordID: .init(recordName: "one"))], policy: .insert)
            try await transport.append((16..<20).map { event($0, of: "beta") })
        } catch {
            violated("cannot create a store: \(error)")
        }
    }
}
