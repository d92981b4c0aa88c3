/// Whose request a task answers, so that what requests share is shared fairly.
enum RequestOwners {
    /// The owners of the request; empty outside of requests.
    @TaskLocal static var current: [RelayCaller.Owner] = []
}
