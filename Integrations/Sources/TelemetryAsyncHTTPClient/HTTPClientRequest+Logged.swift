import AsyncHTTPClient
import NIOCore
import NIOHTTP1
@_spi(Tooling) import TelemetryModels

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension HTTPClientRequest {
    /// The request with the trace of the current task's context, unless it has a header `traceparent` or the trace is not
    /// known.
    func traced() -> HTTPClientRequest {
        let header = TelemetryContext.traceparentHeader
        guard !headers.contains(name: header),
            let trace = TelemetryContext.traceparent(span: { .random(in: 1 ... .max) })
        else { return self }
        var request = self
        request.headers.add(name: header, value: trace)
        return request
    }

    /// The URL if its host is that of a server, and not the path of a Unix socket.
    var loggedURL: URL? {
        guard let url = URL(string: url), let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme) else {
            return nil
        }
        return url
    }

    /// The length of the body; nil if it is unknown.
    ///
    /// AsyncHTTPClient knows the length but does not show it, and reading a body consumes it. So it is read by reflection;
    /// where a later version stores it differently, it is unknown.
    var bodyLength: Int? {
        guard let body else { return 0 }
        guard let mode = Mirror(reflecting: body).descendant("mode"),
            let (name, values) = Mirror(reflecting: mode).children.first.map({ ($0.label, $0.value) })
        else { return nil }
        if name == "byteBuffer", let buffer = values as? ByteBuffer { return buffer.readableBytes }
        guard let length = Mirror(reflecting: values).descendant("length"),
            let known = Mirror(reflecting: length).descendant("known") as? Int64
        else { return nil }
        return Int(known)
    }
}
