/// A summary of a store for developers.
public struct DebugInfo: Sendable {
    /// The store's directory, URL or container.
    public let containerID: String
    /// "DEBUG" or "RELEASE".
    public let buildType: String
    /// A description of the kind of store.
    public let environment: String
    /// The number of records that a test query found.
    public let testQueryResults: Int
    /// The name of the first record that the query found.
    public let firstRecordID: String?
    /// The names of that record's fields, sorted.
    public let firstRecordFields: [String]
    /// The number of stored events; nil if it could not be determined.
    public let recordCount: Int?
    /// The error that occurred while the summary was made; nil if there was none.
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
