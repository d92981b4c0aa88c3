import Testing

/// Runs the tests that connect to a server one after another, across suites.
///
/// On Linux a request that waits for its answer on a fresh connection keeps a thread of URLSession busy. Many such requests at
/// once, on a machine whose cores are already busy, delay each other until they exceed their time limits.
struct OneAtATime: SuiteTrait, TestTrait, TestScoping {
    private static let turn = Turn()

    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        await Self.turn.begin()
        do { try await function() } catch {
            await Self.turn.end()
            throw error
        }
        await Self.turn.end()
    }

    private actor Turn {
        private var isTaken = false
        private var waiting: [CheckedContinuation<Void, Never>] = []

        func begin() async {
            guard isTaken else {
                isTaken = true
                return
            }
            await withCheckedContinuation { waiting.append($0) }
        }

        func end() {
            if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
        }
    }
}

extension Trait where Self == OneAtATime {
    static var oneAtATime: Self { OneAtATime() }
}
