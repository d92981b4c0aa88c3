public import Foundation

/// A request as a ``LoopbackServer`` read it.
@_spi(Tooling)
public struct LoopbackRequest: Sendable {
    /// The request line and the headers.
    public let head: String
    /// The body, with the length from the headers, or joined from its chunks.
    public let body: Data
    /// The number of the connection on which it arrived, counted from 0.
    public let connection: Int

    /// The value of a header; its name is case-insensitive.
    public func header(_ name: String) -> String? {
        for line in head.split(whereSeparator: \.isNewline).dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, parts[0].lowercased() == name.lowercased() else { continue }
            return parts[1].trimmingCharacters(in: .whitespaces)
        }
        return nil
    }

    /// The method, for example `GET`.
    public var method: String { word(0) }

    /// The path and the query, as they were sent.
    public var target: String { word(1) }

    /// The path without the query.
    public var path: String { target.split(separator: "?", omittingEmptySubsequences: false).first.map(String.init) ?? "" }

    private func word(_ index: Int) -> String {
        let words = (head.split(whereSeparator: \.isNewline).first ?? "").split(separator: " ")
        return index < words.count ? String(words[index]) : ""
    }

    /// Whether it is a health check, which reads no data. A client may send one at any time.
    var isHealthCheck: Bool { method == "GET" && path.hasSuffix("/healthz") }

    static func read(from socket: LoopbackSocket, connection: Int) -> Self? {
        var bytes = Data()
        guard let end = readLine(endingIn: "\r\n\r\n", into: &bytes, from: socket) else { return nil }
        let request = Self(head: String(decoding: bytes[..<end.lowerBound], as: UTF8.self), body: Data(), connection: connection)
        bytes = Data(bytes[end.upperBound...])
        if request.header("Transfer-Encoding")?.lowercased() == "chunked" {
            guard let body = readChunks(&bytes, from: socket) else { return nil }
            return Self(head: request.head, body: body, connection: connection)
        }
        let length = request.header("Content-Length").flatMap { Int($0) } ?? 0
        guard fill(&bytes, to: length, from: socket) else { return nil }
        return Self(head: request.head, body: bytes, connection: connection)
    }

    /// Returns the chunks of a body as one, without trailers (RFC 9112, section 7.1).
    private static func readChunks(_ bytes: inout Data, from socket: LoopbackSocket) -> Data? {
        var body = Data()
        while let end = readLine(endingIn: "\r\n", into: &bytes, from: socket),
            let length = Int(String(decoding: bytes[..<end.lowerBound], as: UTF8.self), radix: 16)
        {
            bytes = Data(bytes[end.upperBound...])
            guard fill(&bytes, to: length + 2, from: socket) else { return nil }
            body += bytes.prefix(length)
            bytes = Data(bytes.dropFirst(length + 2))
            if length == 0 { return body }
        }
        return nil
    }

    /// Receives until the bytes contain the separator, and returns its range; nil if the connection ends before.
    private static func readLine(
        endingIn separator: String, into bytes: inout Data, from socket: LoopbackSocket
    ) -> Range<Data.Index>? {
        while true {
            if let end = bytes.range(of: Data(separator.utf8)) { return end }
            guard let more = socket.received() else { return nil }
            bytes += more
        }
    }

    /// Receives until there are as many bytes; returns false if the connection ends before.
    private static func fill(_ bytes: inout Data, to count: Int, from socket: LoopbackSocket) -> Bool {
        while bytes.count < count {
            guard let more = socket.received() else { return false }
            bytes += more
        }
        return true
    }
}
