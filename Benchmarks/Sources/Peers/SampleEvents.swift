import Foundation
public import TelemetryModels

/// Events as an app's sessions yield them: a few names, scenarios and threads, a property of 50 bytes.
public enum SampleEvents {
    private static let names = [
        "request.started", "request.finished", "response.decoded", "cache.hit", "cache.miss", "file.read", "checksum",
        "view.shown",
    ]
    private static let scenarios = ["NetworkRequests", "FileRead", "Checksum"]
    private static let device = TelemetryDeviceInfo(
        deviceType: "server", deviceName: "host-17", deviceModel: "x86_64", osVersion: "Debian GNU/Linux 12", appVersion: "1.4.2")

    /// - Parameters:
    ///   - count: How many.
    ///   - session: Whose they are; another number is another session and other identifiers.
    ///   - client: Whose they are.
    ///   - start: The first sequence number.
    public static func make(
        _ count: Int, session: Int = 0, client: String = "hx4mkqzw2v", from start: UInt64 = 0
    ) -> [TelemetryEvent] {
        let sessionId = "5f0c1d9e-\(session)"
        let epoch = 1_800_000_000.0
        return (0..<UInt64(count)).map { index in
            let sequence = start + index
            // A scenario goes on for a while before another one has its turn.
            let scenario = scenarios[Int(sequence / 40) % scenarios.count]
            return TelemetryEvent(
                eventId: "\(sessionId)-\(sequence)", clientId: client, sessionId: sessionId, sequence: sequence,
                name: names[Int(sequence) % names.count],
                timestamp: Date(timeIntervalSince1970: epoch + Double(sequence) / 1_000),
                device: device, threadId: "\(31_000 + sequence / 16 % 4)", property1: property(sequence), scenario: scenario,
                level: sequence % 10 == 0 ? .diagnostic : .info)
        }
    }

    /// Fifty bytes of text that differ from event to event.
    public static func property(_ number: UInt64) -> String {
        let digits = String(number)
        return "GET /api/v2/items/" + String(repeating: "0", count: 12 - min(12, digits.count)) + digits + " took 00.184 seconds"
    }
}
