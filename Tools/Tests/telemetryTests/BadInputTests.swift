import Foundation
import TelemetryModels
import TelemetryTransport
import Testing

struct BadInputTests {
    @Test("A directory that is missing is told in one sentence, and not made")
    func missing() async throws {
        try await withDirectory { folder in
            let store = folder.appendingPathComponent("no-such-store").path
            let result = try await ToolProcess.run("clients", "--directory", store)
            #expect(result.code == 66)
            #expect(result.output.isEmpty)
            #expect(
                result.errors
                    == "telemetry: There is no store at \(store); a host makes it when it starts. Check the directory's name.\n")
            #expect(!FileManager.default.fileExists(atPath: store))
        }
    }

    @Test(
        "A file in place of a directory is told, and stays as it is", arguments: ["clients", "events", "scenarios", "commands"])
    func file(command: String) async throws {
        try await withDirectory { folder in
            let file = folder.appendingPathComponent("file")
            try Data("mine".utf8).write(to: file)
            let result = try await ToolProcess.run(command, "-d", file.path)
            #expect(result.code == 66)
            #expect(result.errors == "telemetry: \(file.path) is no directory, so it is no store. Check the directory's name.\n")
            #expect(try Data(contentsOf: file) == Data("mine".utf8))
        }
    }

    @Test("A directory that holds other things is left alone")
    func otherThings() async throws {
        try await withDirectory { folder in
            try Data("mine".utf8).write(to: folder.appendingPathComponent("letter.txt"))
            for arguments in [["clients"], ["pipe", "--scenario", "A"], ["demo"]] {
                let result = try await ToolProcess.run(arguments + ["-d", folder.path])
                #expect(result.code == 65)
                #expect(
                    result.errors
                        == "telemetry: \(folder.path) holds other things and no store; nothing in it was touched. "
                        + "Check the directory's name.\n")
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["letter.txt"])
        }
    }

    @Test("A store of a newer format is told as such, and left as it is", arguments: ["clients", "doctor", "pipe", "import"])
    func newerFormat(command: String) async throws {
        try await withDirectory { folder in
            let mark = folder.appendingPathComponent("format.json")
            let text = Data(#"{"format":"LiveTelemetry file store","id":"x","version":99}"#.utf8)
            try text.write(to: mark)
            let archive = folder.appendingPathComponent("archive")
            try Data("{\"format\":\"LiveTelemetry archive\",\"version\":1}\n".utf8).write(to: archive)
            let more = ["pipe": ["--scenario", "A"], "import": [archive.path]][command] ?? []
            let result = try await ToolProcess.run([command] + more + ["-d", folder.path])
            #expect(result.code == 65)
            #expect(result.errors.contains("\(folder.path) is a store of version 99, made by a newer LiveTelemetry"))
            #expect(result.errors.hasSuffix("Use a newer telemetry.\n"))
            #expect(try Data(contentsOf: mark) == text)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["archive", "format.json"])
        }
    }

    @Test(
        "Output that cannot be written is a failure, not silence",
        .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
    func fullOutput() async throws {
        let process = Process()
        process.executableURL = ToolProcess.executable
        process.arguments = ["schema"]
        process.standardOutput = FileHandle(forWritingAtPath: "/dev/full")
        let errors = Pipe()
        process.standardError = errors
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 74)
        let text = String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        #expect(text.hasPrefix("telemetry: The output cannot be written: "))
    }

    @Test(
        "What cannot be is told in a sentence that says what to do",
        arguments: [
            (["export", "FOLDER"], 73, "FOLDER is a directory; name a file in it."),
            (["export", "FOLDER/none/x"], 73, "FOLDER/none/x cannot be written; is its folder there, and yours?"),
            (["import", "FOLDER"], 66, "FOLDER is a directory. Name a file that telemetry export wrote."),
            (
                ["stats", "--svg", "FOLDER/none/x"], 73,
                "The chart cannot be written to FOLDER/none/x; is its folder there, and yours?"
            ),
            (["events", "--after", "x"], 65, "\"x\" is no cursor of this store. To begin anew, leave --after out."),
        ] as [([String], Int32, String)])
    func advice(arguments: [String], code: Int32, message: String) async throws {
        try await withDirectory { folder in
            let store = folder.appendingPathComponent("store")
            try await FileTelemetryTransport(directory: store).append([.init(sessionId: "s", sequence: 1, name: "a")])
            func named(_ text: String) -> String { text.replacingOccurrences(of: "FOLDER", with: folder.path) }
            let result = try await ToolProcess.run(arguments.map(named) + ["-d", store.path])
            #expect(result.code == code)
            #expect(result.errors == "telemetry: \(named(message))\n")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["store"])
        }
    }

    @Test("Without a store the tool says how to name one")
    func noStore() async throws {
        let result = try await ToolProcess.run("clients")
        #expect(result.code == 64)
        #expect(result.errors.contains("Which store? Give --directory DIR or set LIVE_TELEMETRY_STORE."))
    }

    @Test("The demo refuses what it cannot work on")
    func demo() async throws {
        let folder = try await ToolProcess.run("demo", "/no/such/folder")
        #expect(folder.code == 66)
        #expect(folder.errors == "telemetry: There is no folder at /no/such/folder.\n")
        let file = try await ToolProcess.run("demo", "--input", "/no/such/file")
        #expect(file.code == 66)
        #expect(file.errors == "telemetry: There is no file at /no/such/file.\n")
        let both = try await ToolProcess.run("demo", "/", "--input", "/etc/hosts")
        #expect(both.code == 64)
    }
}
