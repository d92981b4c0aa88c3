/// One spelling for all strings that are equal by Swift's `==`. For the tools, which are separate packages; not public API.
@_spi(Tooling)
public enum CanonicalText {
    /// The UTF-8 of Unicode's normalization form D.
    public static func utf8(of text: String) -> [UInt8] { CanonicalForm.utf8(of: text) }
}
