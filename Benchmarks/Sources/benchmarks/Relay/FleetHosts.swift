import Foundation
import Measure
import Peers
import Synchronization

/// Hosts that append a batch once a second, each over its own connection, as separate machines would. They are threads that send
/// prepared texts: 500 transports in one process would share its connections and measure this process instead of the relay.
struct FleetHosts: Sendable {
    static let batch = 5
    /// The turns of a thread's hosts are spread evenly over the second.
    private static let hostsPerThread = 10

    private let port: UInt16
    private let count: Int

    init(_ count: Int, at relay: RelayServer) {
        port = relay.port
        self.count = count
    }

    /// The nanoseconds from when each append was due until its answer, so that an append that waits for an earlier one counts as
    /// slow.
    func append(for seconds: Int) async throws -> [UInt64] {
        try await withCheckedThrowingContinuation { continuation in
            Thread { continuation.resume(with: Result { try run(for: seconds) }) }.start()
        }
    }

    private func run(for seconds: Int) throws -> [UInt64] {
        let threads = (count + Self.hostsPerThread - 1) / Self.hostsPerThread
        let result = Mutex<(samples: [UInt64], next: Int, failures: [String])>(([], 0, []))
        let start = now() + 500_000_000
        _ = onThreads(threads) {
            let index = result.withLock { result in
                defer { result.next += 1 }
                return result.next
            }
            do {
                let samples = try serve(Array(stride(from: index, to: count, by: threads)), for: seconds, from: start)
                result.withLock { $0.samples += samples }
            } catch { result.withLock { $0.failures.append("\(error)") } }
        }
        return try result.withLock { result in
            if let failure = result.failures.first { throw Miscount(description: failure) }
            return result.samples
        }
    }

    private func serve(_ hosts: [Int], for seconds: Int, from start: UInt64) throws -> [UInt64] {
        let connections = try hosts.map { _ in try RawConnection(port: port) }
        var samples: [UInt64] = []
        samples.reserveCapacity(hosts.count * seconds)
        for second in 0..<seconds {
            for (host, connection) in zip(hosts, connections) {
                let due = start + UInt64(second) * 1_000_000_000 + UInt64(host) * 1_000_000_000 / UInt64(count)
                let request = Self.request(host, second)
                if case let time = now(), time < due { Thread.sleep(forTimeInterval: Double(due - time) / 1e9) }
                try connection.send(request)
                let (status, body) = try connection.response()
                guard status == 200, String(decoding: body, as: UTF8.self).contains("\"stored\":\(Self.batch)") else {
                    throw Miscount(description: "\(status) \(String(decoding: body, as: UTF8.self))")
                }
                samples.append(now() - due)
            }
        }
        return samples
    }

    private static func request(_ host: Int, _ second: Int) -> [UInt8] {
        let client = "host-\(host)"
        let events = (second * batch..<(second + 1) * batch).map { sequence in
            """
            {"eventId":"\(client)-\(sequence)","eventName":"request.finished","sequence":\(sequence),\
            "eventTimestamp":"2027-01-15T08:00:00.25Z","property1":"\(SampleEvents.property(UInt64(sequence)))"}
            """
        }
        let context = """
            {"clientid":"\(client)","sessionId":"session-\(host)","scenario":"NetworkRequests","logLevel":"info","threadId":"31000",\
            "deviceType":"server","deviceName":"host-17","deviceModel":"x86_64","osVersion":"Debian GNU/Linux 12",\
            "appVersion":"1.4.2"}
            """
        return RawRequest.bytes(
            "POST", "/v1/events", client: client,
            body: Array("{\"context\":\(context),\"events\":[\(events.joined(separator: ","))]}".utf8))
    }
}
