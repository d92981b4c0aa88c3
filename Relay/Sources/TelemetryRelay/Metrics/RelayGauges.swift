/// Values that are read when the metrics are requested.
struct RelayGauges: Sendable {
    /// The usage of the storage; nil if it cannot be read.
    let usage: RelayUsage?
    /// The number of open streams and waiting requests.
    let streams: Int
    let bodies: WaitingBodies
    let connections: ConnectionRegistry
    /// The number of entries that the audit left out.
    let omittedAuditEntries: Int

    func write(to text: inout PrometheusText) {
        if let usage {
            text.value("relay_events_kept", "gauge", "Events in the storage.", usage.events)
            text.value("relay_event_bytes_kept", "gauge", "Bytes that events use.", usage.eventBytes)
            text.value(
                "relay_event_identifiers_kept", "gauge", "Identifiers of deleted events that are kept.",
                usage.rememberedEvents)
            text.value("relay_records_kept", "gauge", "Records in the storage.", usage.records)
            text.value("relay_record_bytes_kept", "gauge", "Bytes that records use.", usage.recordBytes)
            text.value(
                "relay_record_change_bytes_kept", "gauge", "Bytes that the log of record changes uses.",
                usage.recordChangeBytes)
            text.value(
                "relay_subscription_bytes_kept", "gauge", "Bytes that subscriptions use.", usage.subscriptionBytes)
            text.values(
                "relay_events_deleted_total", "counter", "Events deleted, by the bound that they exceeded.", by: "bound",
                usage.expired.map { ($0.key.rawValue, $0.value) })
            text.value("relay_debug_entries_kept", "gauge", "Debug log entries in the storage.", usage.debugLogs.entries)
            text.value("relay_debug_bytes_kept", "gauge", "Bytes that debug log entries use.", usage.debugLogs.bytes)
            text.values(
                "relay_debug_entries_deleted_total", "counter", "Entries deleted, by the bound that they exceeded.", by: "bound",
                usage.debugLogs.deleted.map { ($0.key.rawValue, $0.value) })
            text.value(
                "relay_debug_entries_unreadable_total", "counter", "Damaged entries skipped, counted once per search.",
                usage.debugLogs.unreadable)
            text.value("relay_audit_entries_kept", "gauge", "Entries of the audit.", usage.auditEntries)
            text.value("relay_webhook_deliveries_waiting", "gauge", "Deliveries that wait for webhooks.", usage.deliveries)
        }
        text.value(
            "relay_audit_entries_omitted_total", "counter", "Entries of hosts and refused requests that the audit left out.",
            omittedAuditEntries)
        text.value("relay_streams_open", "gauge", "Streams and waiting requests that are open.", streams)
        text.value(
            "relay_waiting_bytes", "gauge", "Bytes to which the bodies expand that wait to be decoded or stored.", bodies.bytes)
        text.value("relay_connections_open", "gauge", "Connections that are open.", connections.count)
        text.value(
            "relay_connection_bytes", "gauge", "Bytes of requests that are not answered and of responses that are not read.",
            connections.heldBytes)
        text.values(
            "relay_connections_closed_total", "counter", "Connections closed, by what they took too long for, or by the limit.",
            by: "reason", connections.closed.map { ($0.key.rawValue, $0.value) })
    }
}
