import Foundation
@_spi(Tooling) import TelemetryModels
@_spi(Tooling) import TelemetrySystem

/// Writes the messages of alerts.
struct AlertMessages: Sendable {
    /// The address of the page as its users know it, without a slash at the end; empty if it is not configured.
    let page: String
    /// Whether messages contain events.
    let hasSamples: Bool

    func message(for firing: RelayFiring, at date: Date) -> RelayAlertMessage {
        RelayAlertMessage(
            firing: firing, identifier: Self.identifier(),
            body: body(of: firing.alert.name, count: firing.alert.count, firing.alert.query, firing.sample, at: date))
    }

    /// The body of a message that tests an alert, without events.
    func test(of alert: RelayAlert, at date: Date) -> Data {
        body(of: alert.name, count: 0, alert.query, [], at: date)
    }

    /// The body of a message that tests a webhook.
    func test(at date: Date) -> Data { body(of: "test", count: 0, .all, [], at: date) }

    private func body(
        of name: String, count: Int, _ query: TelemetryQuery, _ sample: [RelayStoredEvent], at date: Date
    ) -> Data {
        var writer = JSONWriter(capacity: 1_024)
        writer.object { writer in
            writer.member("alert", name)
            writer.member("firedAt", TimestampText.string(from: date) ?? "")
            writer.member("count", count)
            writer.member("query", query.description)
            writer.member("link", link(to: query))
            guard hasSamples else { return }
            writer.key("sample")
            writer.array(sample.compactMap(Self.json)) { event, writer in writer.raw(event) }
        }
        return Data(writer.bytes)
    }

    /// - Returns: nil for an event that cannot be read.
    private static func json(_ event: RelayStoredEvent) -> [UInt8]? {
        var (events, writer) = (WireEventWriter(), JSONWriter())
        return (try? events.write(event, to: &writer)).map { writer.bytes }
    }

    /// The address of the page that shows the matching events.
    private func link(to query: TelemetryQuery) -> String {
        let unreserved = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        let text = query.description.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
        return "\(page)/#/events?query=\(text)"
    }

    /// A random identifier.
    static func identifier() -> String {
        "msg_" + String((0..<24).map { _ in "0123456789abcdefghijklmnopqrstuvwxyz".randomElement() ?? "0" })
    }
}
