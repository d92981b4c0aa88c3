/// The machine and the app that an event comes from.
public struct TelemetryDeviceInfo: Sendable, Hashable, Codable {
    /// The kind of system: "iOS", "macOS", "Linux" …
    public let deviceType: String
    public let deviceName: String
    /// The hardware's model or, where there is none, its architecture.
    public let deviceModel: String
    public let osVersion: String
    /// The app's version and build or, for an executable without a bundle, its name.
    public let appVersion: String

    public init(deviceType: String, deviceName: String, deviceModel: String, osVersion: String, appVersion: String) {
        self.deviceType = deviceType
        self.deviceName = deviceName
        self.deviceModel = deviceModel
        self.osVersion = osVersion
        self.appVersion = appVersion
    }

    /// This machine and this app, looked up once per process.
    public static var current: Self { detected }

    private static let detected = detect()
}
