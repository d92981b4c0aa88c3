import Synchronization
import TelemetryLifecycle

/// Generates identifiers from the device's number and a counter.
final class SimulatedIdentifiers: TelemetryIdentifierGenerating {
    private let device: Int
    private let count = Mutex(0)

    init(device: Int) { self.device = device }

    func generateIdentifier() -> String {
        count.withLock { count in
            count += 1
            return "device\(device)run\(count)"
        }
    }
}
