import Foundation
import TelemetryPersistence
@_spi(Tooling) import TelemetryTestKit
import Testing

/// Whether other processes use a client.
struct ClientUseTests {
    private let clientId = "abc/../déjà"

    @Test("A client is in use while another store uses it, and the last store removes the file")
    func use() async throws {
        try await withTemporaryDirectory(isCreated: true) { directory in
            let (first, second) = (
                FileTelemetrySettingsStore(directory: directory), FileTelemetrySettingsStore(directory: directory)
            )
            await first.beginUse(of: clientId)
            #expect(await second.isUsedElsewhere(clientId))
            #expect(await first.isUsedElsewhere(clientId) == false)
            #expect(await second.isUsedElsewhere("another") == false)
            await second.beginUse(of: clientId)
            #expect(await first.isUsedElsewhere(clientId))
            #expect(await second.isUsedElsewhere(clientId))
            await second.endUse(of: clientId)
            #expect(await first.isUsedElsewhere(clientId) == false)
            let shared = try directory.names
            #expect(shared.count == 1)
            await first.endUse(of: clientId)
            let left = try directory.names
            #expect(left.isEmpty)
        }
    }

    @Test("A released store uses no client, and the file that it left is removed")
    func gone() async throws {
        try await withTemporaryDirectory(isCreated: true) { directory in
            await FileTelemetrySettingsStore(directory: directory).beginUse(of: clientId)
            let kept = try directory.names
            #expect(kept.count == 1)
            #expect(await FileTelemetrySettingsStore(directory: directory).isUsedElsewhere(clientId) == false)
            let removed = try directory.names
            #expect(removed.isEmpty)
        }
    }
}
