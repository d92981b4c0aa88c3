public import FakeCloudKitServer
import Foundation

/// <https://developer.apple.com/documentation/cloudkit/ckcontainer>
///
/// Uses the session that is current when it is created: its server, user and device.
public final class CKContainer: Sendable {
    /// <https://developer.apple.com/documentation/cloudkit/ckcontainer/publicclouddatabase>
    public let publicCloudDatabase: CKDatabase
    /// <https://developer.apple.com/documentation/cloudkit/ckcontainer/privateclouddatabase>
    public let privateCloudDatabase: CKDatabase

    /// <https://developer.apple.com/documentation/cloudkit/ckcontainer/init(identifier:)>
    public init(identifier: String) {
        let session = StandInSession.current
        publicCloudDatabase = CKDatabase(session: session, name: "public")
        privateCloudDatabase = CKDatabase(session: session, name: "private of \(session.caller.user ?? "nobody")")
    }
}

/// The server that the stand-ins connect to, with the user and the device. Not part of the SDK.
public struct StandInSession: Sendable {
    public let server: FakeCloudKitServer
    public let caller: FakeCloudKitServer.Caller
    /// Delays and faults between the device and the server; nil for none.
    public let traffic: (any StandInTraffic)?

    public init(
        server: FakeCloudKitServer, user: String?, device: String = "device", traffic: (any StandInTraffic)? = nil
    ) {
        self.server = server
        self.caller = .init(user: user, device: device)
        self.traffic = traffic
    }

    /// The session of containers that are created in a task.
    @TaskLocal public static var current = StandInSession(server: FakeCloudKitServer(), user: "somebody")

    /// The payload of a push, as the app delegate gets it.
    public static func userInfo(of push: ServerPush) -> [AnyHashable: Any] {
        [
            "aps": push.isSilent ? ["content-available": 1] : [:],
            "ck": ["subscription": push.subscription, "record": push.record],
        ]
    }
}

/// The connection to the server, for tests that delay or lose requests.
public protocol StandInTraffic: Sendable {
    /// Returns when the request reaches the server.
    /// - Returns: Whether its answer is returned. Without an answer the request still has its effect.
    func request(_ what: String) async throws(ServerFault) -> Bool
    /// Returns when the answer arrives.
    func answer(to what: String) async throws(ServerFault)
}
