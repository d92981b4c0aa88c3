public import FakeCloudKitServer
import Foundation

/// <https://developer.apple.com/documentation/cloudkit/ckcontainer>
///
/// Belongs to the session that is current where it is made: the server, and who asks it from which device.
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

/// What no SDK has: which server the stand-ins talk to, and as whom.
public struct StandInSession: Sendable {
    public let server: FakeCloudKitServer
    public let caller: FakeCloudKitServer.Caller
    /// What lies between the device and the server; nil for nothing that could go wrong.
    public let traffic: (any StandInTraffic)?

    public init(
        server: FakeCloudKitServer, user: String?, device: String = "device", traffic: (any StandInTraffic)? = nil
    ) {
        self.server = server
        self.caller = .init(user: user, device: device)
        self.traffic = traffic
    }

    /// The session of containers that are made in a task.
    @TaskLocal public static var current = StandInSession(server: FakeCloudKitServer(), user: "somebody")

    /// The payload of a push as the app delegate gets it.
    public static func userInfo(of push: ServerPush) -> [AnyHashable: Any] {
        [
            "aps": push.isSilent ? ["content-available": 1] : [:],
            "ck": ["subscription": push.subscription, "record": push.record],
        ]
    }
}

/// The way to the server and back, for tests that hold requests up or lose them.
public protocol StandInTraffic: Sendable {
    /// Returns when the request reaches the server.
    /// - Returns: Whether its answer comes back; where it does not, the request has had its effect all the same.
    func request(_ what: String) async throws(ServerFault) -> Bool
    /// Returns when the answer arrives.
    func answer(to what: String) async throws(ServerFault)
}
