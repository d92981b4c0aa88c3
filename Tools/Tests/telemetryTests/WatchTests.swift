import Foundation
import Programs
import TelemetryModels
@_spi(Tooling) import TelemetryTestKit
import TelemetryTransport
import Testing

struct WatchTests {
    @Test("The full screen draws, handles keys, and restores the terminal", arguments: [true, false])
    func terminal(byKey: Bool) async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let transport = try FileTelemetryTransport(directory: folder)
            try await transport.createTelemetryClient(clientId: "k7wq", isEnabled: false)
            try await transport.append([.init(clientId: "k7wq", sessionId: "s", sequence: 1, name: "hello.there")])
            let terminal = try PseudoTerminal(columns: 80, rows: 24)
            let tool = try await start(in: folder, on: terminal)
            terminal.closeOther()
            var screen = try await terminal.text {
                $0.contains("k7wq") && $0.contains("pending (a)") && $0.contains("hello.there")
            }
            #expect(screen.hasPrefix("\u{1B}[?1049h"))
            terminal.write("/")
            screen += try await terminal.text { $0.contains("Enter filters") }
            if byKey {
                terminal.write("\u{3}")
            } else {
                tool.send(SIGTERM)
            }
            let end = try await terminal.text { $0.contains("\u{1B}[?1049l") }
            #expect(end.contains("\u{1B}[?25h"))
            #expect(try await tool.end() == .exited(0))
        }
    }

    @Test("A view begins with the newest events that it keeps, and shows what arrives later, also with an earlier date")
    func manyEvents() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let transport = try FileTelemetryTransport(directory: folder)
            for batch in 0..<6 {
                try await transport.append(
                    (1...2_000).map {
                        TelemetryEvent(clientId: "k7wq", sessionId: "s", sequence: UInt64(batch * 2_000 + $0), name: "many")
                    })
            }
            let terminal = try PseudoTerminal(columns: 80, rows: 24)
            let tool = try await start(in: folder, on: terminal)
            _ = try await terminal.text { $0.contains("10,000 events") }
            try await transport.append([
                TelemetryEvent(clientId: "k7wq", sessionId: "t", sequence: 1, name: "late.event", timestamp: .now - 300)
            ])
            _ = try await terminal.text { $0.contains("late.event") && $0.contains("10,001 events") }
            terminal.write("q")
            #expect(try await tool.end() == .exited(0))
        }
    }

    @Test("A crash restores the terminal", arguments: [SIGSEGV, SIGABRT, SIGQUIT])
    func fault(number: Int32) async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            _ = try FileTelemetryTransport(directory: folder)
            let terminal = try PseudoTerminal(columns: 80, rows: 24)
            let before = terminal.mode
            let tool = try await start(in: folder, on: terminal)
            _ = try await terminal.text { $0.contains("No clients yet") }
            #expect(terminal.mode != before)
            tool.send(number)
            let end = try await terminal.text { $0.contains("\u{1B}[?1049l") }
            #expect(end.contains("\u{1B}[?25h"))
            #expect(try await tool.end() == .killed(by: number))
            #expect(terminal.mode == before)
        }
    }

    @Test("A resize redraws the screen, and telemetry is ended after confirmation")
    func resizedAndEnding() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let transport = try FileTelemetryTransport(directory: folder)
            try await transport.createTelemetryClient(clientId: "k7wq", isEnabled: true)
            let terminal = try PseudoTerminal(columns: 80, rows: 24)
            let tool = try await start(in: folder, on: terminal)
            _ = try await terminal.text { $0.contains("k7wq") && $0.contains("0/0 on") }
            terminal.resize(columns: 38, rows: 24)
            tool.send(SIGWINCH)
            _ = try await terminal.text { $0.contains("The window is too small") }
            terminal.resize(columns: 100, rows: 30)
            tool.send(SIGWINCH)
            _ = try await terminal.text { $0.contains("\u{1B}[30;1H") }
            terminal.write("x")
            _ = try await terminal.text { $0.contains("End the telemetry of k7wq?") }
            #expect(try await transport.fetchPendingCommands(for: "k7wq").isEmpty)
            terminal.write("y")
            _ = try await terminal.text { $0.contains("Ending the telemetry of k7wq") }
            try await transport.createCommandSubscription(for: "k7wq")
            let notifications = transport.notifications()
            var commands = try await transport.fetchPendingCommands(for: "k7wq")
            if commands.isEmpty {
                for await _ in notifications {
                    commands = try await transport.fetchPendingCommands(for: "k7wq")
                    if !commands.isEmpty { break }
                }
            }
            #expect(commands.map(\.action) == [.disable])
            terminal.write("q")
            _ = try await terminal.text { $0.contains("\u{1B}[?1049l") }
            #expect(try await tool.end() == .exited(0))
        }
    }

    @Test("An event is opened and copied, and the mouse is reported only in the list")
    func detail() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let transport = try FileTelemetryTransport(directory: folder)
            try await transport.append([
                .init(
                    clientId: "k7wq", sessionId: "s", sequence: 1, name: "hello.there", timestamp: .now - 3_600, property1: "old"),
                .init(clientId: "k7wq", sessionId: "s", sequence: 2, name: "hello.there", property1: "new"),
            ])
            let terminal = try PseudoTerminal(columns: 80, rows: 24)
            let tool = try await start(in: folder, on: terminal, ["--since", "10m"])
            terminal.closeOther()
            let list = try await terminal.text { $0.contains("hello.there") }
            #expect(list.contains("\u{1B}[?1000h\u{1B}[?1006h"))
            terminal.write("\u{1B}[<64;5;5M\r")
            let detail = try await terminal.text { $0.contains("UTC time") && $0.contains("new") }
            #expect(detail.contains("\u{1B}[?1006l\u{1B}[?1000l"))
            terminal.write("y")
            _ = try await terminal.text { $0.contains("\u{1B}]52;c;") && $0.contains("by OSC 52") }
            terminal.write("q\u{1B}[H")
            _ = try await terminal.text { $0.contains("old") }
            terminal.write("q")
            let end = try await terminal.text { $0.contains("\u{1B}[?1049l") }
            #expect(end.contains("\u{1B}[?1006l\u{1B}[?1000l"))
            #expect(try await tool.end() == .exited(0))
        }
    }

    @Test("A view begins with the newest events that match, whatever their age")
    func old() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let transport = try FileTelemetryTransport(directory: folder)
            try await transport.append(
                ["first", "second"].enumerated().map { number, text in
                    TelemetryEvent(
                        clientId: "k7wq", sessionId: "s", sequence: UInt64(number + 1), name: text, timestamp: .now - 1e7)
                })
            for (options, names) in [
                ([], ["first", "second"]), (["--where", "-name:=first"], ["where: -name:=first", "second"]),
            ] {
                let terminal = try PseudoTerminal(columns: 80, rows: 24)
                let tool = try await start(in: folder, on: terminal, options)
                terminal.closeOther()
                let shown = try await terminal.text { text in names.allSatisfy(text.contains) }
                #expect(options.isEmpty || !shown.replacing("name:=first", with: "").contains("first"))
                terminal.write("q")
                #expect(try await tool.end() == .exited(0))
            }
        }
    }

    private func event(_ number: Int, session: String = "s", status: Int64) -> TelemetryEvent {
        TelemetryEvent(
            clientId: "k7wq", sessionId: session, sequence: UInt64(number), name: "request", property1: "number \(number).",
            attributes: ["status": .int(status)])
    }

    @Test("A typed query is explained if it is wrong; it selects stored and new events, and top values extend it")
    func query() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let transport = try FileTelemetryTransport(directory: folder)
            try await transport.append((1...20).map { event($0, status: $0 % 10 == 0 ? 503 : 200) })
            let terminal = try PseudoTerminal(columns: 80, rows: 24)
            let tool = try await start(in: folder, on: terminal)
            terminal.closeOther()
            _ = try await terminal.text { $0.contains("number 20.") }
            terminal.write("/status:>abc\r")
            _ = try await terminal.text { $0.contains("Expected a number or a date.") && $0.contains("^") }
            terminal.write("\u{15}status:>=500\r")
            let shown = try await terminal.text { $0.contains("[2 match]") && $0.contains("number 10.") }
            #expect(shown.contains("filter: status:>=500"))
            try await transport.append([event(21, status: 200), event(22, status: 500), event(23, status: 404)])
            let live = try await terminal.text { $0.contains("[3 match]") && $0.contains("number 22.") }
            #expect(!live.contains("number 21.") && !live.contains("number 23."))
            terminal.write("\u{1B}[H\rt")
            _ = try await terminal.text { $0.contains("TOP VALUES of name in 3 events") && $0.contains("request") }
            terminal.write("\u{1B}")
            _ = try await terminal.text { $0.contains("EVENT request") }
            terminal.write("\u{1B}[Ft")
            _ = try await terminal.text { $0.contains("TOP VALUES of status in 3 events") && $0.contains("▸ 503") }
            terminal.write("-")
            _ = try await terminal.text { $0.contains("[1 match] filter: status:>=500 -status:=503") }
            terminal.write("\u{1B}")
            _ = try await terminal.text { $0.contains("number 23.") }
            terminal.write("q")
            #expect(try await tool.end() == .exited(0))
        }
    }

    @Test("The title counts the stored events that match, however many are shown")
    func count() async throws {
        try await withTemporaryDirectory(isCreated: true) { folder in
            let transport = try FileTelemetryTransport(directory: folder)
            for batch in 0..<6 {
                try await transport.append((1...2_500).map { event(batch * 2_500 + $0, status: $0 % 10 == 0 ? 500 : 200) })
            }
            let terminal = try PseudoTerminal(columns: 80, rows: 24)
            let tool = try await start(in: folder, on: terminal, ["--where", "status:=200"])
            terminal.closeOther()
            _ = try await terminal.text { $0.contains("[13,500 match] where: status:=200") }
            try await transport.append([event(1, session: "t", status: 200), event(2, session: "t", status: 500)])
            _ = try await terminal.text { $0.contains("[13,501 match]") }
            terminal.write("q")
            #expect(try await tool.end() == .exited(0))
        }
    }

    private func start(
        in folder: URL, on terminal: PseudoTerminal, _ options: [String] = []
    ) async throws -> RunningProgram {
        // On a terminal the backtracer would be interactive.
        try await terminal.start(
            ["watch", "-d", folder.path] + options, environment: ["TERM": "xterm-256color", "SWIFT_BACKTRACE": "enable=no"])
    }

    @Test("Without a terminal the command fails with a message")
    func noTerminal() async throws {
        let result = try await ToolProcess.run("watch", "-d", "/tmp")
        #expect(result.code == 69)
        #expect(
            result.errors
                == "telemetry: watch requires a terminal; without one use: telemetry events --follow\n")
    }
}
