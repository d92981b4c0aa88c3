import Foundation
import TelemetryLogging
import TelemetryModels
import TelemetryTransport

/// Reads a spool's files of an ended process with the logger that is started next.
enum SpoolTarget {
    private static let owner = "0123456789abcdef"
    private static let names = Set(["first", "second", "third"])

    /// The segments of a logger that could not deliver its events.
    private static let valid: [[UInt8]] = {
        let directory = Scratch.fresh("spool-made")
        return wait {
            let logger = TelemetryLogger(configuration: configuration(directory), transport: Refusing())
            await logger.setClientIdentifier("alpha")
            await logger.activate(enabled: true)
            for name in names.sorted() {
                logger.logEvent(
                    name: name, scenario: nil, level: .info, property1: "text",
                    attributes: ["n": .int(1), "t": .string("x"), "d": .double(0.5), "b": .bool(true), "w": .date(.now)])
            }
            await logger.setClientIdentifier("beta")
            logger.logEvent(name: "first", property1: "beta")
            await logger.shutdown()
            return Scratch.names(in: directory).filter { $0.hasSuffix(".segment") }.sorted()
                .map { Scratch.read("\(directory)/\($0)") }
        }
    }()

    static func run(_ bytes: UnsafeBufferPointer<UInt8>) {
        var input = ByteInput(bytes)
        let mode = input.byte()
        let directory = Scratch.fresh("spool")
        mkdir(directory, 0o700)
        if mode & 4 == 0 { Scratch.write([], to: "\(directory)/\(owner).lock") }
        var isDamaged = true
        if mode & 1 == 0 {
            var file = input.rest()
            if mode & 2 == 0 { SpoolAccess.repair(&file) }
            Scratch.write(file, to: "\(directory)/\(owner)-1.segment")
        } else {
            require(!valid.isEmpty, "a logger left no segment")
            isDamaged = !input.isAtEnd
            for (index, file) in valid.enumerated() {
                var file = Array(file.prefix(4_096))
                damage(&file, &input)
                if mode & 2 == 0 { SpoolAccess.repair(&file) }
                Scratch.write(file, to: "\(directory)/\(owner)-\(index + 1).segment")
            }
        }
        let client = mode & 8 == 0 ? "alpha" : "beta"
        let events = wait {
            let transport = InMemoryTelemetryTransport()
            let logger = TelemetryLogger(configuration: configuration(directory), transport: transport)
            await logger.setClientIdentifier(client)
            await logger.activate(enabled: true)
            await logger.flush()
            await logger.shutdown()
            return (try? await transport.fetchAllEvents()) ?? []
        }
        if !isDamaged { require(!events.isEmpty, "an undamaged spool was not delivered") }
        require(events.allSatisfy { $0.clientId == client }, "events of another client were delivered as \(client)'s")
        require(Set(events.map(\.eventId)).count == events.count, "an event was delivered twice")
    }

    private static func configuration(_ directory: String) -> TelemetryLogger.Configuration {
        TelemetryLogger.Configuration(
            flushInterval: 3_600, maxRetries: 0, spoolDirectory: URL(filePath: directory), memoryLimit: 128 << 10,
            shutdownDeadline: 1)
    }

    private static func damage(_ file: inout [UInt8], _ input: inout ByteInput) {
        while !input.isAtEnd, !file.isEmpty {
            let place = input.number(below: min(file.count, 1_024))
            switch input.number(below: 4) {
            case 0: file[place] = input.byte()
            case 1: file[place] ^= 1 << UInt8(input.number(below: 8))
            case 2:
                for (index, byte) in input.take(4).enumerated() where place + index < file.count { file[place + index] = byte }
            default: file.removeLast(file.count - place)
            }
        }
    }

    /// An unreachable store.
    private struct Refusing: TelemetryEventTransport {
        private var failure: TelemetryTransportError { .init(code: .unavailable, message: "unreachable") }

        func append(_ events: [TelemetryEvent]) async throws { throw failure }
        func events(
            matching filter: TelemetryEventFilter, after cursor: TelemetryCursor?, limit: Int
        ) async throws -> TelemetryEventPage { throw failure }
        func countEvents(matching filter: TelemetryEventFilter) async throws -> Int { throw failure }
        func deleteEvents(matching filter: TelemetryEventFilter) async throws -> Int { throw failure }
    }
}
