import CloudKit
import FakeCloudKitServer
import Foundation
import Synchronization
import TelemetryCloudKit
import TelemetryLifecycle
import TelemetryModels
import TelemetryPersistence
import TelemetryTestSupport
import TelemetryTransport
import TelemetryUI
import Testing

#if canImport(UIKit)
import UIKit
#else
import AppKit
#endif

/// A client with its app delegate, and a viewer, with the fake server. Serialized, because the app and its registrations are
/// shared.
@MainActor
@Suite(.serialized)
struct DelegateTests {
    private let server = FakeCloudKitServer()
    private let viewer: CloudKitTransport
    private let service: TelemetryLifecycleService
    private let delegate = TelemetryAppDelegate()

    init() {
        let server = server
        func transport(_ user: String) -> CloudKitTransport {
            StandInSession.$current.withValue(StandInSession(server: server, user: user)) {
                CloudKitTransport(containerIdentifier: "iCloud.test")
            }
        }
        viewer = transport("viewer")
        service = TelemetryLifecycleService(
            settingsStore: InMemoryTelemetrySettingsStore(), transport: transport("client"), logger: MockTelemetryLogger(),
            scenarioStore: InMemoryTelemetryScenarioStore())
    }

    private var registrations: Int {
        #if canImport(UIKit)
        UIApplication.shared.standInRegistrations
        #else
        NSApplication.shared.standInRegistrations
        #endif
    }

    @Test("The app registers for pushes when telemetry is turned on, and not before")
    func registration() async {
        let before = registrations
        delegate.telemetryLifecycle = service
        await service.startup()
        #expect(registrations == before)
        await service.enableTelemetry()
        #expect(registrations == before + 1)
        await service.shutdown()
    }

    @Test("A delegate that is set after the service has started registers at once")
    func late() async {
        await service.enableTelemetry()
        let before = registrations
        delegate.telemetryLifecycle = service
        #expect(registrations == before + 1)
        await service.shutdown()
    }

    @Test("A push about a command runs it, and returns new data")
    func command() async throws {
        delegate.telemetryLifecycle = service
        await service.enableTelemetry()
        let clientId = try #require(service.settings.clientIdentifier)
        let command = try await viewer.createCommand(TelemetryCommandRecord(clientId: clientId, action: .enable))
        let record = try #require(command.recordID)
        let push = ServerPush(
            subscription: "TelemetryCommand-\(clientId)", record: record.recordName, isSilent: true)
        await deliver(StandInSession.userInfo(of: push), expecting: true)
        #expect(service.status == .enabled)
        #expect(try await viewer.fetchCommand(recordID: record)?.status == .executed)
        await service.shutdown()
    }

    @Test("A failure to register for pushes is reported to the service's diagnostics handler")
    func registrationFailure() {
        let reported = Mutex<[TelemetryDiagnostic]>([])
        var configuration = TelemetryLifecycleService.Configuration()
        configuration.diagnostics = { diagnostic in reported.withLock { $0.append(diagnostic) } }
        let service = TelemetryLifecycleService(
            settingsStore: InMemoryTelemetrySettingsStore(), transport: InMemoryTelemetryTransport(),
            configuration: configuration, logger: MockTelemetryLogger(), scenarioStore: InMemoryTelemetryScenarioStore())
        let error = CocoaError(.featureUnsupported)
        // Without a service there is nobody to report to.
        fail(with: error)
        delegate.telemetryLifecycle = service
        fail(with: error)
        let diagnostics = reported.withLock { $0 }
        #expect(diagnostics.map(\.kind) == [.transportFailed])
        #expect(diagnostics.first?.message.contains("push notifications") == true)
    }

    private func fail(with error: any Error) {
        #if canImport(UIKit)
        delegate.application(UIApplication.shared, didFailToRegisterForRemoteNotificationsWithError: error)
        #else
        delegate.application(NSApplication.shared, didFailToRegisterForRemoteNotificationsWithError: error)
        #endif
    }

    @Test("Other pushes, and pushes without a service, return no data")
    func noNews() async {
        await deliver(["aps": ["alert": "hello"]], expecting: false)
        delegate.telemetryLifecycle = service
        await deliver(["aps": ["alert": "hello"]], expecting: false)
        let push = ServerPush(subscription: "TelemetryCommand-other", record: "r", isSilent: true)
        await deliver(StandInSession.userInfo(of: push), expecting: false)
        #expect(await service.handleRemoteNotification([:]) == false)
    }

    private func deliver(_ userInfo: [AnyHashable: Any], expecting isNews: Bool) async {
        #if canImport(UIKit)
        let (answers, continuation) = AsyncStream.makeStream(of: UIBackgroundFetchResult.self)
        delegate.application(UIApplication.shared, didReceiveRemoteNotification: userInfo) { result in
            continuation.yield(result)
            continuation.finish()
        }
        var all: [UIBackgroundFetchResult] = []
        for await answer in answers { all.append(answer) }
        #expect(all == [isNews ? .newData : .noData])
        #else
        var info: [String: Any] = [:]
        for (key, value) in userInfo { if let key = key.base as? String { info[key] = value } }
        delegate.application(NSApplication.shared, didReceiveRemoteNotification: info)
        await delegate.pushes.finished()
        #endif
    }
}
