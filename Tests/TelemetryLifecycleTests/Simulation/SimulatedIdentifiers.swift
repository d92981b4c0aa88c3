import Synchronization
import TelemetryLifecycle

/// Identifiers that tell the device and how many it had before.
final class SimulatedIdentifiers: TelemetryIdentifierGenerating {
    private let device: Int
    private let next: Mutex<Int>

    init(device: Int, count: Int) {
        self.device = device
        next = Mutex(count)
    }

    func generateIdentifier() -> String {
        next.withLock { next in
            next += 1
            return "device\(device)run\(next)"
        }
    }
}
