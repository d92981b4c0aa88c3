public import TelemetryModels

/// Looks for a text in what an event says, without regard to upper and lower case.
public struct EventSearch: Sendable {
    private let wanted: String

    public init(_ text: String) { wanted = text.lowercased() }

    public func matches(_ event: TelemetryEvent) -> Bool {
        wanted.isEmpty || contains(event.name) || contains(event.property1 ?? "") || contains(event.scenario ?? "")
            || event.attributes.contains { contains($0.key) || contains($0.value.plain) }
    }

    private func contains(_ text: String) -> Bool { text.lowercased().contains(wanted) }
}
