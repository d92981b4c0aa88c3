import HTTPTypes
@_spi(Tooling) import TelemetrySystem

extension HTTPRequest {
    /// The head with the replacement character, which is valid nowhere, for each text that is not stream-safe, before anything
    /// compares them.
    func withSafeTexts() -> HTTPRequest {
        var head = self
        if let path, !StreamSafeText.isSafe(path) { head.path = "/\u{FFFD}" }
        if let authority, !StreamSafeText.isSafe(authority) { head.authority = "\u{FFFD}" }
        if !headerFields.allSatisfy({ StreamSafeText.isSafe($0.value) }) {
            head.headerFields = HTTPFields(
                headerFields.map { StreamSafeText.isSafe($0.value) ? $0 : HTTPField(name: $0.name, value: "\u{FFFD}") })
        }
        return head
    }
}
