/// The machine and the app that an event comes from.
///
/// Nearly all events have the same value, so a copy shares its strings with the original.
public struct TelemetryDeviceInfo: Sendable {
    private final class Texts: Sendable {
        let deviceType, deviceName, deviceModel, osVersion, appVersion: String

        init(_ deviceType: String, _ deviceName: String, _ deviceModel: String, _ osVersion: String, _ appVersion: String) {
            self.deviceType = deviceType
            self.deviceName = deviceName
            self.deviceModel = deviceModel
            self.osVersion = osVersion
            self.appVersion = appVersion
        }
    }

    private let texts: Texts

    /// The operating system's name: "iOS", "macOS", "Linux" …
    public var deviceType: String { texts.deviceType }
    /// The device's name, set by its owner or by the network.
    public var deviceName: String { texts.deviceName }
    /// The hardware's model; its architecture if the model is not available.
    public var deviceModel: String { texts.deviceModel }
    /// The operating system's version.
    public var osVersion: String { texts.osVersion }
    /// The app's version and build; the executable's name if there is no bundle.
    public var appVersion: String { texts.appVersion }

    /// Creates a value; the parameters are the properties of the same names.
    public init(deviceType: String, deviceName: String, deviceModel: String, osVersion: String, appVersion: String) {
        texts = Texts(deviceType, deviceName, deviceModel, osVersion, appVersion)
    }

    /// This machine and this app, looked up once per process.
    public static var current: Self { detected }

    private static let detected = detect()

    /// Whether one value is a copy of the other. Faster than `==`, and true for nearly all equal values.
    package func isCopy(of other: borrowing Self) -> Bool { texts === other.texts }
}

extension TelemetryDeviceInfo: Hashable {
    public static func == (left: Self, right: Self) -> Bool { left.isCopy(of: right) || left.all == right.all }

    public func hash(into hasher: inout Hasher) { hasher.combine(all) }

    private var all: [String] { [deviceType, deviceName, deviceModel, osVersion, appVersion] }
}

extension TelemetryDeviceInfo: Codable {
    private enum Key: String, CodingKey { case deviceType, deviceName, deviceModel, osVersion, appVersion }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        self.init(
            deviceType: try container.decode(String.self, forKey: .deviceType),
            deviceName: try container.decode(String.self, forKey: .deviceName),
            deviceModel: try container.decode(String.self, forKey: .deviceModel),
            osVersion: try container.decode(String.self, forKey: .osVersion),
            appVersion: try container.decode(String.self, forKey: .appVersion))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(deviceType, forKey: .deviceType)
        try container.encode(deviceName, forKey: .deviceName)
        try container.encode(deviceModel, forKey: .deviceModel)
        try container.encode(osVersion, forKey: .osVersion)
        try container.encode(appVersion, forKey: .appVersion)
    }
}

extension TelemetryDeviceInfo: CustomReflectable {
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "deviceType": deviceType, "deviceName": deviceName, "deviceModel": deviceModel, "osVersion": osVersion,
                "appVersion": appVersion,
            ])
    }
}
