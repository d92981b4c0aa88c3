public import Foundation

/// What all users of the relay's program need.
public enum RelayProgram {
    /// Removes the settings for another relay, which would also apply to this one.
    public static var environment: [String: String?] {
        let names = ProcessInfo.processInfo.environment.keys.filter { $0.hasPrefix("TELEMETRY_RELAY_") }
        return Dictionary(uniqueKeysWithValues: names.map { ($0, nil) })
    }

    /// The relay's URL in the line that it logs when it is listening; nil in other lines.
    public static func url(in line: String) -> URL? {
        line.firstMatch(of: /listening on (http:[^\s",]+)/).flatMap { URL(string: String($0.1)) }
    }
}
