import Foundation

#if canImport(Glibc)
private let streamType = Int32(SOCK_STREAM.rawValue)
private let quiet = Int32(MSG_NOSIGNAL)
#else
private let streamType = SOCK_STREAM
private let quiet: Int32 = 0
#endif

/// A blocking socket on the loopback interface. It is closed when it is released.
@_spi(Tooling)
public final class LoopbackSocket: Sendable {
    public let descriptor: Int32

    private init(_ descriptor: Int32) {
        self.descriptor = descriptor
        // Otherwise a relay that is started meanwhile would keep the connection open.
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    deinit { close(descriptor) }

    /// Listens on a free port; nil if there is none.
    public static func listening() -> (socket: LoopbackSocket, port: UInt16)? {
        guard let (socket, port) = bound(), listen(socket.descriptor, 128) == 0 else { return nil }
        return (socket, port)
    }

    /// Holds a free port, without listening; nil if there is none.
    static func bound() -> (socket: LoopbackSocket, port: UInt16)? {
        let socket = LoopbackSocket(Foundation.socket(AF_INET, streamType, 0))
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let port = withAddress(port: 0) { address -> UInt16? in
            guard bind(socket.descriptor, address, length) == 0, getsockname(socket.descriptor, address, &length) == 0 else {
                return nil
            }
            return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { UInt16(bigEndian: $0.pointee.sin_port) }
        }
        return port.map { (socket, $0) }
    }

    /// A connection to a port of this machine; nil if none listens.
    public static func connected(to port: UInt16) -> LoopbackSocket? {
        let socket = LoopbackSocket(Foundation.socket(AF_INET, streamType, 0))
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        return withAddress(port: port) { connect(socket.descriptor, $0, length) == 0 } ? socket : nil
    }

    private static func withAddress<Result>(
        port: UInt16, _ body: (UnsafeMutablePointer<sockaddr>) -> Result
    ) -> Result {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        address.sin_port = port.bigEndian
        return withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1, body)
        }
    }

    /// The next connection; nil after ``end()``.
    public func accepted() -> LoopbackSocket? {
        let connection = accept(descriptor, nil, nil)
        return connection < 0 ? nil : LoopbackSocket(connection)
    }

    /// The next bytes; nil at the end.
    public func received() -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        return count > 0 ? Array(bytes[..<count]) : nil
    }

    /// Returns whether all bytes were sent.
    @discardableResult
    public func send(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.send(descriptor, $0.baseAddress, $0.count, quiet) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Shuts down both directions; waiting calls return.
    public func end() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Shuts down reading; waiting calls return, and the peer is not affected.
    public func endReading() { shutdown(descriptor, Int32(SHUT_RD)) }

    /// Makes closing reset the connection.
    public func resetWhenClosed() {
        var value = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &value, socklen_t(MemoryLayout<linger>.size))
    }
}
