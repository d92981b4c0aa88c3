import Foundation
import Measure
import Peers
import TelemetryLogging
import TelemetryModels
import TelemetryTransport

/// Measures what an event costs on its whole way, and what a query costs beside its answer.
struct CostSuite {
    let scale: Scale

    func run() async throws {
        print(try await logging().run().text())
        print(try await records().run().text())
    }

    /// Measures from the first call until all events are in a file store, in processor time of all threads.
    func logging() -> Comparison {
        let calls = scale.size(200_000)
        return Comparison(
            "From the call to the stored event, processor time of all threads", rounds: scale.effectiveRounds,
            contenders: [
                Contender("into a file transport") {
                    let scratch = try Scratch()
                    let logger = await LoggerSuite.activeLogger(
                        in: scratch.url.appending(path: "spool"),
                        transport: try FileTelemetryTransport(directory: scratch.url.appending(path: "store")))
                    let start = processTime()
                    Calls.string(logger, calls)
                    await logger.flush()
                    let time = processTime() - start
                    try await LoggerSuite.finish(logger, expecting: calls)
                    return Double(time) / Double(calls)
                },
                Contender("reference, into a client that does nothing") {
                    let reference = ReferenceLogger { _ in }
                    reference.setScenarios(["NetworkRequests": true])
                    let start = processTime()
                    Calls.reference(reference, calls)
                    await reference.finish()
                    return Double(processTime() - start) / Double(calls)
                },
            ],
            aims: [.of("into a file transport", atMost: 1.0 / 12, times: "reference, into a client that does nothing")])
    }

    /// Measures queries that one of 10,000 records of the type matches.
    func records() async throws -> Comparison {
        let count = scale.size(10_000)
        let scratch = try Scratch()
        let writer = try FileTelemetryTransport(directory: scratch.url)
        for start in stride(from: 0, to: count, by: 400) {
            let records = (start..<min(start + 400, count)).map { number in
                var record = TelemetryRecord(recordType: "Thing", recordID: .init(recordName: "thing-\(number)"))
                record["number"] = .int(Int64(number))
                return record
            }
            _ = try await writer.save(records, policy: .insert)
        }
        let query = TelemetryRecordQuery(recordType: "Thing", conditions: ["number": .int(Int64(count / 2))])
        let reader = try FileTelemetryTransport(directory: scratch.url)
        return Comparison(
            "A query that one of \(count) records matches", rounds: scale.effectiveRounds,
            contenders: [
                Contender("of a store that was just opened", operations: 1) {
                    let reader = try FileTelemetryTransport(directory: scratch.url)
                    try expect(try await reader.records(matching: query).count, 1)
                },
                Contender("again", operations: 1) { try expect(try await reader.records(matching: query).count, 1) },
                Contender("again, after another connection changed a record", operations: 1) { _ in
                    var record = TelemetryRecord(recordType: "Thing", recordID: .init(recordName: "thing-0"))
                    record["number"] = .int(-1)
                    _ = try await writer.save([record], policy: .overwrite)
                } round: {
                    try expect(try await reader.records(matching: query).count, 1)
                },
            ])
    }
}
