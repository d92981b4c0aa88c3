import Foundation
@_spi(Tooling) import TelemetryTestKit
import Testing
import ViewerKit

struct LineReaderTests {
    private let directory = TemporaryDirectory()

    @Test(
        "Lines are read completely, wherever the chunks of a file end",
        arguments: [
            [], [""], ["", "", "a"], ["one", "two"], [String(repeating: "x", count: 600_000), "short", "ü"],
            (0..<60_000).map { "line \($0)" },
        ], [true, false])
    func lines(lines: [String], endsInLineFeed: Bool) throws {
        let text = lines.map { "\($0)\n" }.joined()
        var reader = LineReader(try directory.file(endsInLineFeed ? text : String(text.dropLast())))
        var found: [String] = []
        while let line = try reader.next() { found.append(String(decoding: line, as: UTF8.self)) }
        // A last line without a line end counts unless it is empty.
        #expect(found == (endsInLineFeed || lines.last != "" ? lines : lines.dropLast()))
        #expect(reader.position == text.utf8.count - (endsInLineFeed || text.isEmpty ? 0 : 1))
    }

    @Test("A line that is too long is an error and is not read into memory, however large the file is")
    func longLine() throws {
        let handle = try directory.file("one\n")
        try handle.truncate(atOffset: 40 << 30)
        try handle.seek(toOffset: 0)
        var reader = LineReader(handle, maximumLineBytes: 1 << 20)
        #expect(try reader.next() == Data("one".utf8))
        #expect(throws: ToolFailure.self) { try reader.next() }
        #expect(reader.position < 2 << 20)
    }
}
