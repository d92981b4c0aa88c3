import Foundation
import TelemetryTestSupport
import Testing

@testable import ViewerKit

struct ConsoleTests {
    /// What a console writes to its two streams.
    private func written(
        isTerminal: Bool, _ body: (Console) async throws -> Void
    ) async throws -> (output: String, errors: String) {
        let (output, errors) = (Pipe(), Pipe())
        func descriptor(_ pipe: Pipe) -> Descriptor {
            Descriptor(number: pipe.fileHandleForWriting.fileDescriptor, isTerminal: isTerminal)
        }
        try await body(Console(output: descriptor(output), errors: descriptor(errors), environment: [:]))
        func text(_ pipe: Pipe) throws -> String {
            try pipe.fileHandleForWriting.close()
            return String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        }
        return (try text(output), try text(errors))
    }

    @Test("On a terminal, a progress line replaces the one before, and is removed at the end or before the next output")
    func terminal() async throws {
        let clear = "\r\u{1B}[K"
        let ended = try await written(isTerminal: true) { console in
            console.progress("one")
            console.progress("two")
            console.endProgress()
            console.endProgress()
        }
        #expect(ended.errors == "\(clear)one\(clear)two\(clear)")
        #expect(ended.output.isEmpty)
        let outputs = try await written(isTerminal: true) { console in
            for write in [console.line, console.note, { console.write(Array($0.utf8)) }] as [(String) -> Void] {
                console.progress("some")
                write("text")
            }
        }
        #expect(outputs.output == "text\ntext")
        #expect(outputs.errors == "\(clear)some\(clear)" + "\(clear)some\(clear)text\n" + "\(clear)some\(clear)")
    }

    @Test("An operation that takes longer than a second has a progress line with the time, which is removed at its end")
    func slowOperation() async throws {
        let (clock, clear) = (ManualClock(), "\r\u{1B}[K")
        let slow = try await written(isTerminal: true) { console in
            try await console.withProgress({ "waiting" }, clock: clock) {
                for seconds in [0.5, 0.5, 1.5] {
                    await clock.sleepers(atLeast: 1)
                    clock.advance(by: .seconds(seconds))
                }
                await clock.sleepers(atLeast: 1)
            }
            console.line("text")
        }
        #expect(slow.errors == "\(clear)… waiting, 1.0 s\(clear)… waiting, 2.5 s\(clear)")
        #expect(slow.output == "text\n")
        #expect(clock.sleeperCount == 0)
        let fast = try await written(isTerminal: true) { console in
            try await console.withProgress({ "waiting" }, clock: clock) {
                await clock.sleepers(atLeast: 1)
                clock.advance(by: .milliseconds(999))
            }
        }
        #expect(fast.errors.isEmpty)
        let piped = try await written(isTerminal: false) { console in
            try await console.withProgress({ "waiting" }, clock: clock) { clock.advance(by: .seconds(5)) }
        }
        #expect(piped.errors.isEmpty)
    }

    @Test("Without a terminal there is no progress line")
    func pipe() async throws {
        let written = try await written(isTerminal: false) { console in
            console.progress("some")
            console.endProgress()
            console.line("text")
        }
        #expect(written.output == "text\n")
        #expect(written.errors.isEmpty)
    }
}
