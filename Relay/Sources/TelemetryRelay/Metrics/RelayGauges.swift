/// What is looked up when the metrics are asked for, in Prometheus' text format.
struct RelayGauges: Sendable {
    /// What the storage of telemetry holds; nil where it cannot say.
    let telemetry: RelayUsage?
    /// Streams and waiting requests that are open.
    let streams: Int
    /// Readers that were cut since the start.
    let cut: Int

    var text: String {
        var lines: [String] = []
        func family(_ name: String, _ type: String, _ help: String, _ samples: [String]) {
            lines += ["# HELP \(name) \(help)", "# TYPE \(name) \(type)"] + samples.map { name + $0 }
        }
        if let telemetry {
            family("relay_events_kept", "gauge", "Events in the storage.", [" \(telemetry.events)"])
            family("relay_event_bytes_kept", "gauge", "Bytes that events use.", [" \(telemetry.eventBytes)"])
            family(
                "relay_event_identifiers_kept", "gauge", "Identifiers of deleted events that are known.",
                [" \(telemetry.rememberedEvents)"])
            family("relay_records_kept", "gauge", "Records in the storage.", [" \(telemetry.records)"])
            family(
                "relay_events_deleted_total", "counter", "Events deleted, by the bound that they went beyond.",
                telemetry.expired.map { "{bound=\"\($0.key.rawValue)\"} \($0.value)" }.sorted())
        }
        family("relay_streams_open", "gauge", "Streams and waiting requests that are open.", [" \(streams)"])
        family("relay_streams_cut_total", "counter", "Streams cut because nobody read them.", [" \(cut)"])
        return lines.joined(separator: "\n") + "\n"
    }
}
