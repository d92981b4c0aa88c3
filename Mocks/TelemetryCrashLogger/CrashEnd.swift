import Foundation
import TelemetryLogging
import TelemetryModels

/// Logs a few events, some of them of a scenario that only the flight recorder keeps, prints their names, and ends.
enum CrashEnd: String {
    /// Writes to an address that is not mapped.
    case nullPointer
    case abort
    /// A failed check of Swift's runtime.
    case trap
    case kill
    case exit
    case shutdown
    /// As `nullPointer`, with a handler of the host, which prints "handled" and ends the process.
    case handled

    /// Uses memory until the system kills the process, in a control group with less than there is.
    case memory

    private static let events = 20
    private static let memoryBytes = 256 << 20

    func perform(spool: String, run: String) async throws {
        if self == .handled {
            signal(SIGSEGV) { _ in
                let text: StaticString = "handled\n"
                _ = write(1, text.utf8Start, text.utf8CodeUnitCount)
                Foundation.exit(7)
            }
        }
        let configuration = TelemetryLogger.Configuration(spoolDirectory: URL(filePath: spool), recordsSignals: true)
        let logger = TelemetryLogger(configuration: configuration, transport: UnreachableTransport())
        await logger.setRecordedScenarios(["Recorded"], level: .diagnostic)
        await logger.setClientIdentifier("client")
        await logger.activate(enabled: true)
        for number in 1...Self.events {
            let isRecorded = number.isMultiple(of: 2)
            let name = "\(run).\(number)"
            logger.logEvent(name: name, scenario: isRecorded ? "Recorded" : nil, level: .info, property1: nil, attributes: [:])
            FileHandle.standardOutput.write(Data((name + "\n").utf8))
        }
        switch self {
        case .nullPointer, .handled: UnsafeMutablePointer<Int>(bitPattern: 8)?.pointee = 1
        case .abort: Foundation.abort()
        case .trap: _ = [Int]()[Self.events]
        case .memory: memset(malloc(Self.memoryBytes), 1, Self.memoryBytes)
        case .kill: Foundation.kill(getpid(), SIGKILL)
        case .exit: Foundation.exit(0)
        case .shutdown: await logger.shutdown()
        }
    }
}
