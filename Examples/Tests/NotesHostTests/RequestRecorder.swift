import Foundation

/// A server that resets each connection once it has the headers of its request.
final class RequestRecorder: Sendable {
    let url: String
    private let requests: AsyncStream<String>
    private let listener: FileHandle

    init() throws {
        let descriptor = socket(AF_INET, streamType, 0)
        listener = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 && listen(descriptor, 8) == 0
                    && getsockname(descriptor, address, &length) == 0
            }
        }
        guard isListening else { throw POSIXError(.EADDRNOTAVAIL) }
        url = "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))"
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        requests = stream
        Thread {
            while case let connection = accept(descriptor, nil, nil), connection >= 0 {
                var text = ""
                var buffer = [UInt8](repeating: 0, count: 4_096)
                while !text.contains("\r\n\r\n"), case let count = read(connection, &buffer, buffer.count), count > 0 {
                    text += String(decoding: buffer[..<count], as: UTF8.self)
                }
                continuation.yield(text)
                // With no time to linger, closing resets the connection.
                var linger = linger(l_onoff: 1, l_linger: 0)
                setsockopt(connection, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
                close(connection)
            }
            continuation.finish()
        }.start()
    }

    deinit { shutdown(listener.fileDescriptor, Int32(SHUT_RDWR)) }

    /// The next request's line and headers; nil once the server has ended.
    func nextRequest() async -> String? {
        for await request in requests { return request }
        return nil
    }
}

#if canImport(Glibc)
private let streamType = Int32(SOCK_STREAM.rawValue)
#else
private let streamType = SOCK_STREAM
#endif
