/// Whose request a task answers, so that a storage can share its connections fairly.
enum RelayReader {
    /// The name of the request's token; empty for a request without one, nil outside of requests.
    @TaskLocal static var token: String?
}
