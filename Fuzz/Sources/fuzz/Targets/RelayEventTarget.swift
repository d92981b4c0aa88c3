/// Parses the body of a POST request with events in JSON, and reads accepted events back from the relay's pages.
enum RelayEventTarget {
    static func run(_ bytes: UnsafeBufferPointer<UInt8>) {
        let body = Array(bytes)
        guard let events = RelayEvents(json: body) else { return }
        _ = RelayPages.readBack(events)
        let isReturned = RelayFields(body).areSame(as: RelayFields(events.json))
        require(isReturned, "an event is returned differently than it was sent: \(RelayPages.show(events))")
        let again = RelayEvents(json: events.json)
        require(again?.lines == events.lines, "an event changes when it is written as JSON: \(RelayPages.show(events))")
    }
}
