#if PostgreSQL
import Foundation
import Peers

/// A new database on a server; removed when this object is released.
final class TemporaryDatabase: Sendable {
    let address: String
    private let server: String
    private let name: String

    init(on server: String) throws {
        guard var components = URLComponents(string: server) else { throw Miscount(description: "\(server) is not an address") }
        self.server = server
        name = "benchmark_\(String(UInt64.random(in: 0..<(1 << 60)), radix: 36))"
        try PostgreSQLPeer(database: server).execute("CREATE DATABASE \(name)")
        components.path = "/\(name)"
        guard let address = components.string else { throw Miscount(description: "\(server) is not an address") }
        self.address = address
    }

    deinit {
        do {
            try PostgreSQLPeer(database: server).execute("DROP DATABASE \(name) WITH (FORCE)")
        } catch {
            print("the database \(name) is still there: \(error)")
        }
    }
}
#endif
