import Foundation
import Logging
import TelemetryBootstrap  // Added.

/// Runs jobs, one per line of standard input: a program with swift-log that LiveTelemetry was added to.
///
/// The three lines that were added are marked; the rest of the program is as it was before.
@main
struct JobQueue {
    private var done = 0
    private var failed: [String: Int] = [:]
    private let logger = Logger(label: "jobs.queue")
    private let worker = Worker()

    static func main() async {
        await withTelemetry(in: URL(fileURLWithPath: "job-store"), scenarios: ["jobs.queue", "jobs.worker"]) {  // Added.
            var queue = JobQueue()
            while let line = readLine() { queue.run(line) }
            queue.end()
        }  // Added.
    }

    private mutating func run(_ line: String) {
        do {
            let job = try Job(line)
            logger.debug("job accepted", metadata: ["job": "\(job.name)", "argument": "\(job.argument)"])
            let clock = ContinuousClock()
            let start = clock.now
            let result = try worker.run(job)
            done += 1
            logger.info("job done", metadata: ["job": "\(job.name)", "took": "\(start.duration(to: clock.now))"])
            try? FileHandle.standardOutput.write(contentsOf: Data("\(job.name): \(result)\n".utf8))
        } catch {
            failed["\(error)", default: 0] += 1
            logger.warning("job failed", error: error, metadata: ["line": "\(line)"])
        }
    }

    private func end() {
        logger.info("queue ended", metadata: ["done": "\(done)", "failed": "\(failed.values.reduce(0, +))"])
        for (reason, count) in failed.sorted(by: { $0.key < $1.key }) {
            try? FileHandle.standardOutput.write(contentsOf: Data("\(count) × \(reason)\n".utf8))
        }
    }
}

/// A job: a name and a number.
struct Job {
    let name: String
    let argument: Int

    init(_ line: String) throws {
        let words = line.split(separator: " ")
        guard let name = words.first else { throw JobError.empty }
        guard words.count == 2, let argument = Int(words[1]) else { throw JobError.noNumber }
        self.name = String(name)
        self.argument = argument
    }
}

enum JobError: Error {
    case empty, noNumber, unknownJob, tooLarge
}

/// Performs jobs.
struct Worker {
    private static let largest = 10_000_000
    private let logger = Logger(label: "jobs.worker")

    func run(_ job: Job) throws -> Int {
        guard (0...Self.largest).contains(job.argument) else {
            logger.notice("refused", metadata: ["argument": "\(job.argument)", "largest": "\(Self.largest)"])
            throw JobError.tooLarge
        }
        switch job.name {
        case "sum": return (0...job.argument).reduce(0, +)
        case "primes": return primes(upTo: job.argument)
        case "digits": return String(job.argument).count
        default: throw JobError.unknownJob
        }
    }

    private func primes(upTo last: Int) -> Int {
        guard last >= 2 else { return 0 }
        var isComposite = [Bool](repeating: false, count: last + 1)
        var factor = 2
        while factor * factor <= last {
            if !isComposite[factor] {
                for multiple in stride(from: factor * factor, through: last, by: factor) { isComposite[multiple] = true }
                logger.trace("factor removed", metadata: ["factor": "\(factor)"])
            }
            factor += 1
        }
        return (2...last).count { !isComposite[$0] }
    }
}
