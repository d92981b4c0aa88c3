import TelemetryModels

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a client's record says about the client: when it was last seen, and its versions. A host's own attributes are not part
/// of it.
struct ClientPresence: Sendable, Equatable {
    let lastSeen: Date
    let app: String?
    let appVersion: String
    let osVersion: String
    let deviceModel: String
    let libraryVersion: String

    init(at date: Date, on device: TelemetryDeviceInfo = .current, app: String? = TelemetryDeviceInfo.app) {
        self.app = app
        lastSeen = date
        // As in the attribute that rules test.
        appVersion = device.versionOfApp
        osVersion = device.osVersion
        deviceModel = device.deviceModel
        libraryVersion = LiveTelemetryVersion.version
    }

    func write(to client: inout TelemetryClientRecord) {
        client.lastSeen = lastSeen
        client.app = app
        client.appVersion = appVersion
        client.osVersion = osVersion
        client.deviceModel = deviceModel
        client.libraryVersion = libraryVersion
    }
}
