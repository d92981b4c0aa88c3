import TelemetrySystem

/// The state of segments, looked up once each.
struct SegmentStates {
    enum State: Equatable {
        case gone
        /// As written, with this number of bytes.
        case whole(size: UInt64)
        /// Some events were deleted.
        case rewritten
    }

    private let layout: StoreLayout
    private let system: FileSystem
    private var presence: [String: Bool] = [:]
    private var states: [String: State] = [:]

    init(layout: StoreLayout, system: FileSystem) {
        self.layout = layout
        self.system = system
    }

    /// Whether the segment's file exists.
    mutating func isPresent(_ segment: String, client: String) throws(FileError) -> Bool {
        let path = "\(layout.client(directory: client))/\(segment).jsonl"
        if let known = presence[path] { return known }
        let isPresent = try system.status(path) != nil
        presence[path] = isPresent
        return isPresent
    }

    mutating func state(of segment: String, client: String) throws(FileError) -> State {
        let path = "\(layout.client(directory: client))/\(segment).jsonl"
        if let known = states[path] { return known }
        let state = try lookUp(path)
        states[path] = state
        return state
    }

    private func lookUp(_ path: String) throws(FileError) -> State {
        do {
            let file = try system.open(path, for: .read)
            let form = SegmentForm(ofSegment: try file.read(at: 0, count: SegmentForm.maximumBytes))
            return form == .asWritten ? .whole(size: try file.status().size) : .rewritten
        } catch  where error.isNotFound { return .gone }
    }
}
