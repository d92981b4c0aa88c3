/// The result of an operation that may fail.
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
