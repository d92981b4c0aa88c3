@testable import RelayReaders

/// Parses the query of a request to the relay, one parameter per line.
enum RelayQueryTarget {
    static func run(_ bytes: UnsafeBufferPointer<UInt8>) {
        let parameters = bytes.split(separator: 0x0A).map { line -> (name: String, value: String) in
            let parts = line.split(separator: 0x3D, maxSplits: 1, omittingEmptySubsequences: false)
            return (String(decoding: parts[0], as: UTF8.self), parts.count > 1 ? String(decoding: parts[1], as: UTF8.self) : "")
        }
        guard let query = RelayParsing.query(parameters) else { return }
        require((1...1_000).contains(query.limit), "a page of \(query.limit)")
        require(query.wait >= .zero && query.wait <= .seconds(60), "a wait of \(query.wait)")
    }
}
