import CloudKit
import FakeCloudKitServer
import LifecycleSimulation
import Synchronization
@_spi(Tooling) import TelemetryTestKit

/// A process's connection to the server: each request waits before its effect, and sometimes its answer too, until the simulation
/// resumes it.
final class SimulatedTraffic: StandInTraffic {
    private let process: WeakProcess
    private let server: FakeCloudKitServer
    private let random: Mutex<SeededGenerator>

    @MainActor
    init(_ process: SimulatedProcess, to server: FakeCloudKitServer, seed: UInt64) {
        self.process = WeakProcess(process)
        self.server = server
        random = Mutex(SeededGenerator(seed: seed &* 31 &+ UInt64(process.device.number)))
    }

    func request(_ what: String) async throws(ServerFault) -> Bool {
        switch await process.gate(what, isAnswer: false) {
        case .go:
            // Sometimes one record fails while the others of its operation succeed.
            if what.hasPrefix("save"), await process.isAnswerSlow() {
                server.failNextItems([
                    ServerFault(
                        code: random.withLock { $0.once(in: 2) } ? FaultCode.batchRequestFailed : FaultCode.zoneBusy,
                        message: "The simulation said so.")
                ])
            }
            return true
        case .failAfter: return false
        case .failBefore: throw fault()
        case .dead: throw ServerFault(code: FaultCode.operationCancelled, message: "The process is dead.")
        }
    }

    func answer(to what: String) async throws(ServerFault) {
        guard await process.isAnswerSlow(), case .dead = await process.gate("\(what), answer", isAnswer: true) else { return }
        throw ServerFault(code: FaultCode.operationCancelled, message: "The process is dead.")
    }

    private func fault() -> ServerFault {
        let codes = [
            FaultCode.networkUnavailable, FaultCode.networkFailure, FaultCode.serviceUnavailable,
            FaultCode.requestRateLimited, FaultCode.zoneBusy,
        ]
        return random.withLock { random in
            let code = codes[Int.random(in: 0..<codes.count, using: &random)]
            let isThrottled = [FaultCode.serviceUnavailable, FaultCode.requestRateLimited].contains(code)
            return ServerFault(code: code, message: "The simulation said so.", retryAfter: isThrottled ? 2 : nil)
        }
    }
}

/// A weak reference, so that requests do not keep the process alive.
@MainActor
private final class WeakProcess {
    private weak var process: SimulatedProcess?

    init(_ process: SimulatedProcess) { self.process = process }

    func gate(_ what: String, isAnswer: Bool) async -> SimulatedWorld.Fate {
        guard let process else { return .dead }
        return await process.world.gate(process, what, isAnswer: isAnswer)
    }

    func isAnswerSlow() -> Bool { process?.world.isAnswerSlow() ?? false }
}
