/// The names by which a machine asks for itself.
///
/// Where no token is asked for, everybody on this machine is let in, and with them every page that a browser shows here. A page
/// may not read what another server answers, unless its own name is made to mean this machine meanwhile (DNS rebinding); then
/// its requests still bear that name.
enum LocalName {
    /// Whether a host, with or without a port, is this machine whatever a name server says: RFC 6761, section 6.3.
    static func isLocal(_ authority: String) -> Bool {
        var name = authority[...]
        // An address of IPv6 stands in brackets, a colon in front of the port only.
        if let colon = name.lastIndex(of: ":"), !name[colon...].contains("]") { name = name[..<colon] }
        return ["localhost", "127.0.0.1", "[::1]"].contains(name.lowercased())
    }
}
