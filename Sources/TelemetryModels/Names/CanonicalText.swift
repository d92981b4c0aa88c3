/// One spelling for all texts that Swift's `==` calls equal, for the tools, which are packages of their own; not part of the
/// interface.
@_spi(Tooling)
public enum CanonicalText {
    /// The UTF-8 of Unicode's normalisation form D.
    public static func utf8(of text: String) -> [UInt8] { CanonicalForm.utf8(of: text) }
}
