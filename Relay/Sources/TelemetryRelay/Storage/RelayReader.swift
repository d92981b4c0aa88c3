/// Whose request a task answers, so that a storage can share its queries fairly.
enum RelayReader {
    /// The owners of the request; empty outside of requests.
    @TaskLocal static var owners: [RelayCaller.Owner] = []
}
