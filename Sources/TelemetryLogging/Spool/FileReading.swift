/// What was read from a file that a process may have left at any time.
enum FileReading<Content> {
    case content(Content)
    /// The file has no content yet.
    case empty
    case corrupt
}

extension FileReading: Equatable where Content: Equatable {}
