/// The name of a token, a webhook or an alert.
enum GivenName {
    /// - Parameter owner: such as `a token`.
    /// - Throws: ``RelayConfigurationError`` if the name is empty, too long or not printable.
    static func check(_ name: String, of owner: String) throws {
        let isPrintable = name.unicodeScalars.allSatisfy { ![.control, .format].contains($0.properties.generalCategory) }
        guard (1...200).contains(name.utf8.count), isPrintable else {
            throw RelayConfigurationError("\(owner)'s name must have 1 to 200 bytes and no control characters")
        }
    }
}
