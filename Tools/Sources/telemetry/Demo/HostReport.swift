/// One line of the example host's report.
struct HostReport: Decodable, Sendable {
    let report: String
    var scenarios: [String]?
    var session: String?
    var status: String?
    var client: String?
    var states: [String: Bool]?
    var rules: [String]?
    var run: Int?
    var items: Int?
    var bytes: Int?
    var recorded: [String: Int]?
    var seconds: Double?
    var message: String?
}
