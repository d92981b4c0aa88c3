/// What is looked up when the metrics are asked for.
struct RelayGauges: Sendable {
    /// What the storage of telemetry holds; nil where it cannot say.
    let telemetry: RelayUsage?
    /// Streams and waiting requests that are open.
    let streams: Int
    /// Readers that were cut since the start.
    let cut: Int

    func write(to text: inout PrometheusText) {
        if let telemetry {
            text.value("relay_events_kept", "gauge", "Events in the storage.", telemetry.events)
            text.value("relay_event_bytes_kept", "gauge", "Bytes that events use.", telemetry.eventBytes)
            text.value(
                "relay_event_identifiers_kept", "gauge", "Identifiers of deleted events that are known.",
                telemetry.rememberedEvents)
            text.value("relay_records_kept", "gauge", "Records in the storage.", telemetry.records)
            text.values(
                "relay_events_deleted_total", "counter", "Events deleted, by the bound that they went beyond.", by: "bound",
                telemetry.expired.map { ($0.key.rawValue, $0.value) })
        }
        text.value("relay_streams_open", "gauge", "Streams and waiting requests that are open.", streams)
        text.value("relay_streams_cut_total", "counter", "Streams cut because nobody read them.", cut)
    }
}
