import CloudKit
public import FakeCloudKitServer
public import TelemetryCloudKit
import TelemetryTransport

/// A server, and connections of users' devices to it.
public struct World: Sendable {
    public let server: FakeCloudKitServer

    public init(_ configure: (inout FakeCloudKitServer.Options) -> Void = { _ in }) {
        var options = FakeCloudKitServer.Options()
        configure(&options)
        server = FakeCloudKitServer(options: options)
    }

    /// A world whose container has the library's schema file.
    public static func deployed(
        isDevelopment: Bool = false, _ configure: (inout FakeCloudKitServer.Options) -> Void = { _ in }
    ) throws -> World {
        let schema = try ServerSchema(CloudKitSchemaFile.text())
        return World {
            $0.schema = schema
            $0.isDevelopment = isDevelopment
            configure(&$0)
        }
    }

    public func transport(
        user: String? = "user", device: String = "device", hears: Bool = true, interval: Duration = .milliseconds(5)
    ) -> CloudKitTransport {
        let session = StandInSession(server: server, user: user, device: device)
        let transport = StandInSession.$current.withValue(session) {
            CloudKitTransport(
                containerIdentifier: "iCloud.test", configuration: .init(eventPollingInterval: interval))
        }
        if hears {
            // As the app delegate handles a push.
            _ = server.register(session.caller) { push in
                transport.handleRemoteNotification(StandInSession.userInfo(of: push))
            }
        }
        return transport
    }

    public func backup(user: String = "user") -> CloudKitSettingsBackup {
        StandInSession.$current.withValue(StandInSession(server: server, user: user)) {
            CloudKitSettingsBackup(containerIdentifier: "iCloud.test")
        }
    }
}
