import HTTPTypes

extension HTTPRequest {
    /// The head with texts that are not stream-safe replaced by ones that mean nothing, before anything compares them: such a path
    /// does not exist, and such a field is refused where it is read.
    func withSafeTexts() -> HTTPRequest {
        var head = self
        if let path, !StreamSafeText.isSafe(path) { head.path = "/-" }
        if let authority, !StreamSafeText.isSafe(authority) { head.authority = "-" }
        if !headerFields.allSatisfy({ StreamSafeText.isSafe($0.value) }) {
            head.headerFields = HTTPFields(
                headerFields.map { StreamSafeText.isSafe($0.value) ? $0 : HTTPField(name: $0.name, value: "-") })
        }
        return head
    }
}
