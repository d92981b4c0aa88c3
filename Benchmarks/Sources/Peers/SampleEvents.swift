import Foundation
public import TelemetryModels

/// Sample events of app sessions: a few names, scenarios and threads, and a property of 50 bytes.
public enum SampleEvents {
    private static let names = [
        "request.started", "request.finished", "response.decoded", "cache.hit", "cache.miss", "file.read", "checksum",
        "view.shown",
    ]
    private static let scenarios = ["NetworkRequests", "FileRead", "Checksum"]
    private static let device = TelemetryDeviceInfo(
        deviceType: "server", deviceName: "host-17", deviceModel: "x86_64", osVersion: "Debian GNU/Linux 12", appVersion: "1.4.2")

    /// - Parameters:
    ///   - count: The number of events.
    ///   - session: The number of the session; each number has its own session and event identifiers.
    ///   - client: The client identifier.
    ///   - start: The first sequence number.
    public static func make(
        _ count: Int, session: Int = 0, client: String = "hx4mkqzw2v", from start: UInt64 = 0
    ) -> [TelemetryEvent] {
        let sessionId = "5f0c1d9e-\(session)"
        let epoch = 1_800_000_000.0
        return (0..<UInt64(count)).map { index in
            let sequence = start + index
            // The scenario changes every 40 events.
            let scenario = scenarios[Int(sequence / 40) % scenarios.count]
            return TelemetryEvent(
                eventId: "\(sessionId)-\(sequence)", clientId: client, sessionId: sessionId, sequence: sequence,
                name: names[Int(sequence) % names.count],
                timestamp: Date(timeIntervalSince1970: epoch + Double(sequence) / 1_000),
                device: device, threadId: "\(31_000 + sequence / 16 % 4)", property1: property(sequence), scenario: scenario,
                level: sequence % 10 == 0 ? .diagnostic : .info)
        }
    }

    /// A text of 50 bytes that differs between events.
    public static func property(_ number: UInt64) -> String {
        let digits = String(number)
        return "GET /api/v2/items/" + String(repeating: "0", count: 12 - min(12, digits.count)) + digits + " took 00.184 seconds"
    }
}
