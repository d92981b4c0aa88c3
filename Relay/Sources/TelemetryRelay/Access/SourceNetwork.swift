import Foundation
import NIOCore

/// The network that a request is counted against.
enum SourceNetwork {
    /// An IPv4 address, or the first 64 bits of an IPv6 address: one subscriber's network (RFC 6177), in which it can use any
    /// address. An IPv4 address in IPv6 form (`::ffff:192.0.2.1`) is the IPv4 address. A text that is no address is returned as is.
    static func name(of address: String) -> String {
        guard case .v6(let found)? = try? SocketAddress(ipAddress: address, port: 0) else { return address }
        let bytes = withUnsafeBytes(of: found.address.sin6_addr) { Array($0) }
        if bytes.starts(with: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255]) {
            return bytes[12...].map(String.init).joined(separator: ".")
        }
        return stride(from: 0, to: 8, by: 2).map { String(UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]), radix: 16) }
            .joined(separator: ":") + "::/64"
    }

    /// The address in an element of `X-Forwarded-For`, to which some proxies add a port: `192.0.2.1:80`, `[2001:db8::1]:80`.
    /// - Returns: nil if there is none.
    static func address(in text: some StringProtocol) -> String? {
        let text = String(text).filter { !$0.isWhitespace }
        let address =
            if text.hasPrefix("[") {
                text.dropFirst().prefix { $0 != "]" }
            } else if text.count(where: { $0 == ":" }) == 1 {
                text.prefix { $0 != ":" }
            } else {
                text[...]
            }
        return (try? SocketAddress(ipAddress: String(address), port: 0))?.ipAddress
    }
}
