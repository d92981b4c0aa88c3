#if canImport(CloudKit)
import CloudKit
public import TelemetryModels
import TelemetryTransport

extension CloudKitTransport {
    /// Whether the container can be reached and has the record types and indexes that the transport's queries need.
    public func validateSchema() async -> Bool {
        do {
            for type in CloudKitSchemaFile.queriedRecordTypes {
                let query = CKQuery(recordType: type, predicate: CloudKitPredicate().predicate)
                _ = try await database.records(matching: query, desiredKeys: [], resultsLimit: 1)
            }
            _ = try await events(matching: .init(sessionId: "-"), after: nil, limit: 1)
            return true
        } catch {
            return false
        }
    }

    /// The container's identifier.
    public nonisolated var storeIdentifier: String? { "cloudkit:\(identifier)" }

    public func debugInfo() async -> DebugInfo {
        await debugInfo(containerID: identifier, environment: Self.environment)
    }

    /// CloudKit does not report its environment to an app. The entitlement determines it; without one, the kind of signature
    /// does.
    private static var environment: String {
        #if DEBUG
        "CloudKit, public database; development, unless the app's entitlement says otherwise"
        #else
        "CloudKit, public database; production, unless the app is signed for development"
        #endif
    }
}
#endif
