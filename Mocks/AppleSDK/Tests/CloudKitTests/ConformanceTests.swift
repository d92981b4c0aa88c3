import CloudKitWorld
import FakeCloudKitServer
import Synchronization
import TelemetryCloudKit
import TelemetryTestSupport
import TelemetryTransport
import Testing

struct ConformanceTests {
    @Test("The transport passes every check with the fake server", arguments: TelemetryTransportConformance.checks)
    func conforms(_ check: TelemetryTransportConformance.Check) async throws {
        let suite = TelemetryTransportConformance {
            // The suite stores records of its own types, which only development accepts.
            let world = try World.deployed(isDevelopment: true)
            // The suite's user is both client and viewer.
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
