/// What a developer wants to know about a store at a glance.
public struct DebugInfo: Sendable {
    /// Names the store: a directory, a URL, a container.
    public let containerID: String
    /// "DEBUG" or "RELEASE".
    public let buildType: String
    /// What kind of store it is, in words.
    public let environment: String
    /// How many records a trial query found.
    public let testQueryResults: Int
    /// The name of the first record that the query found.
    public let firstRecordID: String?
    /// The names of that record's fields, sorted.
    public let firstRecordFields: [String]
    /// How many events are stored; nil where that could not be found out.
    public let recordCount: Int?
    /// What went wrong while looking, if anything did.
    public let errorMessage: String?

    /// Creates a value; the parameters are the properties of the same names.
    public init(
        containerID: String, buildType: String, environment: String, testQueryResults: Int, firstRecordID: String?,
        firstRecordFields: [String], recordCount: Int?, errorMessage: String?
    ) {
        self.containerID = containerID
        self.buildType = buildType
        self.environment = environment
        self.testQueryResults = testQueryResults
        self.firstRecordID = firstRecordID
        self.firstRecordFields = firstRecordFields
        self.recordCount = recordCount
        self.errorMessage = errorMessage
    }
}
