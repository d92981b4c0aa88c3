import Hummingbird

extension EventForm {
    /// The media types of bodies, which responses to events name in `Accept-Post` (Linked Data Platform 1.0, 7.1).
    static let acceptedTypes = "application/json, \(linesType)"

    static let linesType = "application/vnd.livetelemetry.lines"

    /// The media ranges that include JSON, the most specific one first (RFC 9110, 12.5.1).
    private static let jsonRanges = ["application/json", "application/*", "*/*"]

    /// The form of a request's body.
    /// - Throws: `Request.BadBody` if the media type is neither.
    init(ofBody request: Request) throws {
        if request.mediaType == Self.linesType {
            self = .lines
        } else {
            try request.expectJSON(strictly: true, orElse: Self.linesType)
            self = .json
        }
    }

    /// The form in which a response is preferred: lines only where `Accept` names them.
    init(acceptedBy request: Request) {
        guard let lines = AcceptedValues.weight(of: [Self.linesType], in: request.headers[.accept]), lines > 0 else {
            self = .json
            return
        }
        let json = Self.jsonRanges.lazy.compactMap { AcceptedValues.weight(of: [$0], in: request.headers[.accept]) }.first
        self = lines >= json ?? 0 ? .lines : .json
    }
}
