public import Foundation

/// A request as a ``LoopbackServer`` read it.
@_spi(Tooling)
public struct LoopbackRequest: Sendable {
    /// The request line and the headers.
    public let head: String
    /// The body, with the length from the headers.
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
        let separator = Data("\r\n\r\n".utf8)
        var head: (text: String, end: Int, length: Int)?
        while true {
            if head == nil, let end = bytes.range(of: separator) {
                let text = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
                let length =
                    Self(head: text, body: Data(), connection: connection).header("Content-Length").flatMap { Int($0) } ?? 0
                head = (text, end.upperBound, length)
            }
            if let head, bytes.count - head.end >= head.length {
                return Self(head: head.text, body: Data(bytes[head.end...]), connection: connection)
            }
            guard let more = socket.received() else { return nil }
            bytes += more
        }
    }
}
