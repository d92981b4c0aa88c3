#if PostgreSQL
import CPostgreSQL

/// The server, database and user of a connection string, and libpq's settings for them.
package struct PostgreSQLAddress: Sendable {
    /// The settings by keyword, without libpq's defaults.
    let settings: [String: String]

    /// - Parameter url: `postgresql://USER@HOST/NAME`, with any of libpq's parameters, such as `sslmode`.
    /// - Throws: ``PostgreSQLError`` with the code `invalidAddress`. Its message does not repeat the text, which may contain a
    ///   password.
    package init(_ url: String) throws {
        guard let options = PQconninfoParse(url, nil) else {
            throw PostgreSQLError(.invalidAddress, "the database's URL is malformed")
        }
        defer { PQconninfoFree(options) }
        var settings: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { settings[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        let hosts = "\(settings["host"] ?? "")\(settings["hostaddr"] ?? "")"
        guard !hosts.contains("@"), (settings["port"] ?? "").allSatisfy({ "0123456789,".contains($0) }) else {
            // Otherwise, a part of the password would be in the messages about the host.
            throw PostgreSQLError(
                .invalidAddress,
                "the database's URL is malformed: percent-encode special characters of the password, such as %40 for @")
        }
        self.init(settings: settings)
    }

    private init(settings: [String: String]) { self.settings = settings }

    /// The addresses of the hosts in order, each of which has a time limit of its own.
    var candidates: [PostgreSQLAddress] {
        func list(_ keyword: String) -> [String] {
            (settings[keyword] ?? "").split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        }
        let (hosts, addresses, ports) = (list("host"), list("hostaddr"), list("port"))
        let count = max(hosts.count, addresses.count)
        func isComplete(_ list: [String], _ keyword: String) -> Bool { list.count == count || settings[keyword] == nil }
        guard count > 1, isComplete(hosts, "host"), isComplete(addresses, "hostaddr"),
            isComplete(ports, "port") || ports.count == 1
        else { return [self] }
        return (0..<count).map { index in
            var single = settings
            if settings["host"] != nil { single["host"] = hosts[index] }
            if settings["hostaddr"] != nil { single["hostaddr"] = addresses[index] }
            if ports.count == count { single["port"] = ports[index] }
            return PostgreSQLAddress(settings: single)
        }
    }

    /// The time limit for connecting that the URL sets.
    package var connectTimeout: Duration? {
        settings["connect_timeout"].flatMap { Int($0) }.flatMap { $0 > 0 ? .seconds($0) : nil }
    }

    /// The settings of a connection: the URL's, and defaults that detect a lost server and skip standbys.
    func settings(timeout: Duration) -> [String: String] {
        let seconds = max(2, Int(timeout / .seconds(1)))
        let defaults = [
            "connect_timeout": "\(seconds)", "target_session_attrs": "read-write", "keepalives_idle": "10",
            "keepalives_interval": "5", "keepalives_count": "3", "tcp_user_timeout": "20000",
            "fallback_application_name": "telemetry-relay", "client_encoding": "UTF8",
        ]
        return settings.merging(defaults) { url, _ in url }
    }
}
#endif
