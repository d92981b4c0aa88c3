/// Reads a stream continuously, so that a check can wait for the next element with a time limit.
final class Recorder<Element: Sendable>: Sendable {
    private enum Step: Sendable {
        case element(Element)
        case ended((any Error)?)
    }

    private let log: CallLog<Step>
    private let reading: Task<Void, Never>

    init<Stream: AsyncSequence & Sendable>(_ stream: Stream) where Stream.Element == Element {
        let log = CallLog<Step>()
        self.log = log
        self.reading = Task {
            do {
                for try await element in stream { log.append(.element(element)) }
                log.append(.ended(nil))
            } catch {
                log.append(.ended(error))
            }
        }
    }

    deinit { reading.cancel() }

    /// Waits for the element number `index`. Returns nil if the stream ended before it.
    func element(_ index: Int) async throws -> Element? {
        await log.wait { $0.count > index || $0.contains { if case .ended = $0 { true } else { false } } }
        let steps = log.calls
        switch index < steps.count ? steps[index] : steps.last {
        case .element(let element): return index < steps.count ? element : nil
        case .ended(let error?): throw error
        case .ended(nil), nil: return nil
        }
    }

    /// Waits for the first element from number `index` on that satisfies the condition.
    func first(from index: Int = 0, where isWanted: @escaping @Sendable (Element) -> Bool) async throws -> Element? {
        var index = index
        while let element = try await element(index) {
            if isWanted(element) { return element }
            index += 1
            if Task.isCancelled { return nil }
        }
        return nil
    }

    /// The number of elements so far.
    var count: Int { log.calls.count { if case .element = $0 { true } else { false } } }
}
