/// The host names that always refer to the local machine.
///
/// Without tokens, every process on this machine has access, and so does every web page that a browser displays here. The
/// same-origin policy keeps a page from reading another server's responses, unless the page's own host name is rebound to this
/// machine (DNS rebinding). In that case its requests still have that name in `Host`.
enum LocalName {
    /// Whether a host, with or without a port, refers to this machine regardless of name resolution: RFC 6761, section 6.3.
    static func isLocal(_ authority: String) -> Bool {
        var name = authority[...]
        // An IPv6 address is in brackets; only a colon after the brackets precedes a port.
        if let colon = name.lastIndex(of: ":"), !name[colon...].contains("]") { name = name[..<colon] }
        return ["localhost", "127.0.0.1", "[::1]"].contains(name.lowercased())
    }
}
