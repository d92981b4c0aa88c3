import Foundation
import TelemetryModels
import TelemetryPersistence
@_spi(Tooling) import TelemetryTestKit
import Testing

// Exit tests need a system that can start processes.
#if os(Linux) || os(macOS)
/// Pending work in several processes; each exit test is a process of its own.
@Suite(.serialized)
struct PendingWorkProcessesTests {
    @Test("Concurrent updates by four processes are all applied", arguments: [false, true])
    func updates(inFiles: Bool) async throws {
        try await withTemporaryDirectory(isCreated: true) { directory in
            try await withSuite { suite in
                let path = directory.text
                await withTaskGroup { group in
                    for number in 0..<4 {
                        group.addTask {
                            await #expect(processExitsWith: .success) {
                                [
                                    path = path as String, suite = suite as String, inFiles = inFiles as Bool,
                                    number = number as Int
                                ] in
                                let store: any TelemetryPendingWorkStoring =
                                    inFiles
                                    ? FileTelemetryPendingWorkStore(directory: URL(filePath: path))
                                    : UserDefaultsTelemetryPendingWorkStore(suiteName: suite)
                                for count in 0..<20 {
                                    await store.updatePendingWork { $0.add(.init(clientId: "\(number).\(count)")) }
                                }
                            }
                        }
                    }
                }
                let store: any TelemetryPendingWorkStoring =
                    inFiles
                    ? FileTelemetryPendingWorkStore(directory: directory)
                    : UserDefaultsTelemetryPendingWorkStore(suiteName: suite)
                #expect(await store.loadPendingWork().deletions.count == 80)
            }
        }
    }

    @Test("An update is read by another process, even if the first one is killed right after it", arguments: [false, true])
    func killed(inFiles: Bool) async throws {
        try await withTemporaryDirectory(isCreated: true) { directory in
            try await withSuite { suite in
                let path = directory.text
                await #expect(processExitsWith: .failure) {
                    [path = path as String, suite = suite as String, inFiles = inFiles as Bool] in
                    let store: any TelemetryPendingWorkStoring =
                        inFiles
                        ? FileTelemetryPendingWorkStore(directory: URL(filePath: path))
                        : UserDefaultsTelemetryPendingWorkStore(suiteName: suite)
                    await store.updatePendingWork { $0.add(.init(clientId: "k7m2")) }
                    kill(getpid(), SIGKILL)
                }
                let store: any TelemetryPendingWorkStoring =
                    inFiles
                    ? FileTelemetrySettingsStore(directory: directory) : UserDefaultsTelemetrySettingsStore(suiteName: suite)
                #expect(await store.loadPendingWork().deletions.map(\.clientId) == ["k7m2"])
            }
        }
    }
}
#endif
