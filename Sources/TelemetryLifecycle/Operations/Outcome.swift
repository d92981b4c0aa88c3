/// What an operation that may fail came to.
struct Outcome: Sendable {
    private let result: Result<Void, any Error>

    @MainActor
    init(_ body: @MainActor () async throws -> Void) async {
        do {
            result = .success(try await body())
        } catch {
            result = .failure(error)
        }
    }

    func get() throws { try result.get() }
}
