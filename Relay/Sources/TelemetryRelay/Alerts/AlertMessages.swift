import Foundation
@_spi(Tooling) import TelemetryModels
@_spi(Tooling) import TelemetrySystem

/// Writes the messages of alerts.
struct AlertMessages: Sendable {
    /// The address of the page as its users know it, without a slash at the end; empty if it is not configured.
    let page: String
    /// Whether messages contain events, or the names of clients.
    let hasSamples: Bool

    func message(for firing: RelayFiring, at date: Date) -> RelayAlertMessage {
        RelayAlertMessage(
            firing: firing, identifier: Self.identifier(),
            body: body(of: firing.alert.name, firing.alert.condition, count: firing.count, at: date) { writer in
                if firing.alert.silence != nil {
                    writer.key("clientids")
                    writer.array(firing.clients) { client, writer in writer.string(client) }
                }
                write(firing.sample, to: &writer)
            })
    }

    /// The body of a message that tests an alert, without events.
    func test(of alert: RelayAlert, at date: Date) -> Data {
        body(of: alert.name, alert.condition, count: 0, at: date) { writer in write([], to: &writer) }
    }

    /// The body of a message that tests a webhook.
    func test(at date: Date) -> Data {
        body(of: "test", .events(.init(query: .all, count: 0, within: 0)), count: 0, at: date) { writer in
            write([], to: &writer)
        }
    }

    /// - Parameter samples: writes the members that are left out if messages have no samples.
    private func body(
        of name: String, _ condition: RelayAlert.Condition, count: Int, at date: Date, samples: (inout JSONWriter) -> Void
    ) -> Data {
        var writer = JSONWriter(capacity: 1_024)
        writer.object { writer in
            writer.member("alert", name)
            writer.member("firedAt", TimestampText.string(from: date) ?? "")
            writer.member("count", count)
            switch condition {
            case .events(let events):
                writer.member("query", events.query.description)
                writer.member("link", link(to: events.query))
            case .silence(let silence):
                writer.member("query", "")
                writer.member("link", "\(page)/#/clients")
                writer.member("silence", silence.seconds)
            }
            if hasSamples { samples(&writer) }
        }
        return Data(writer.bytes)
    }

    private func write(_ sample: [RelayStoredEvent], to writer: inout JSONWriter) {
        writer.key("sample")
        writer.array(sample.compactMap(Self.json)) { event, writer in writer.raw(event) }
    }

    /// - Returns: nil for an event that cannot be read.
    private static func json(_ event: RelayStoredEvent) -> [UInt8]? {
        var (events, writer) = (WireEventWriter(), JSONWriter())
        return (try? events.write(event, to: &writer)).map { writer.bytes }
    }

    /// The address of the page that shows the matching events.
    private func link(to query: TelemetryQuery) -> String {
        "\(page)/#/events?query=\(PercentCoding.encode(query.description))"
    }

    /// A random identifier.
    static func identifier() -> String {
        "msg_" + String((0..<24).map { _ in "0123456789abcdefghijklmnopqrstuvwxyz".randomElement() ?? "0" })
    }
}
