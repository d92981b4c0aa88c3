/// The form of events in a request or a response.
enum EventForm {
    case json
    /// The lines of the file store's segments.
    case lines
}
