import Foundation
import Testing

@testable import ViewerKit

struct ConsoleTests {
    /// What a console writes to its two streams.
    private func written(isTerminal: Bool, _ body: (Console) -> Void) throws -> (output: String, errors: String) {
        let (output, errors) = (Pipe(), Pipe())
        func descriptor(_ pipe: Pipe) -> Descriptor {
            Descriptor(number: pipe.fileHandleForWriting.fileDescriptor, isTerminal: isTerminal)
        }
        body(Console(output: descriptor(output), errors: descriptor(errors), environment: [:]))
        func text(_ pipe: Pipe) throws -> String {
            try pipe.fileHandleForWriting.close()
            return String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        }
        return (try text(output), try text(errors))
    }

    @Test("On a terminal, a progress line replaces the one before, and is removed at the end or before the next output")
    func terminal() throws {
        let clear = "\r\u{1B}[K"
        let ended = try written(isTerminal: true) { console in
            console.progress("one")
            console.progress("two")
            console.endProgress()
            console.endProgress()
        }
        #expect(ended.errors == "\(clear)one\(clear)two\(clear)")
        #expect(ended.output.isEmpty)
        let outputs = try written(isTerminal: true) { console in
            for write in [console.line, console.note, { console.write(Array($0.utf8)) }] as [(String) -> Void] {
                console.progress("some")
                write("text")
            }
        }
        #expect(outputs.output == "text\ntext")
        #expect(outputs.errors == "\(clear)some\(clear)" + "\(clear)some\(clear)text\n" + "\(clear)some\(clear)")
    }

    @Test("Without a terminal there is no progress line")
    func pipe() throws {
        let written = try written(isTerminal: false) { console in
            console.progress("some")
            console.endProgress()
            console.line("text")
        }
        #expect(written.output == "text\n")
        #expect(written.errors.isEmpty)
    }
}
