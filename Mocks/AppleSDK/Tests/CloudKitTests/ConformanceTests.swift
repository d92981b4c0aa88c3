import CloudKitWorld
import FakeCloudKitServer
import Synchronization
import TelemetryCloudKit
import TelemetryTestSupport
import TelemetryTransport
import Testing

struct ConformanceTests {
    @Test("The transport keeps every promise over the fake server", arguments: TelemetryTransportConformance.checks)
    func conforms(_ check: TelemetryTransportConformance.Check) async throws {
        let suite = TelemetryTransportConformance {
            // The suite stores records of types of its own, which only development takes.
            let world = try World.deployed(isDevelopment: true)
            // It is client and viewer in one.
            world.server.assign(CloudKitSchemaFile.viewerRole, to: "user")
            let devices = Mutex(0)
            return .init(
                transport: world.transport(device: "first"),
                connectAgain: {
                    let number = devices.withLock { number in
                        number += 1
                        return number
                    }
                    return world.transport(device: "other \(number)")
                })
        }
        #expect(try await suite.run(check) == .passed)
    }

}
