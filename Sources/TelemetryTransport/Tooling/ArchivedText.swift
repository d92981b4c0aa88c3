/// The place of a text of an archive in an ``ArchivedBlock``.
struct ArchivedText {
    /// The place of a text that an event does not have.
    static let none = ArchivedText(offset: 0, count: .max)

    private let offset: UInt32
    private let count: UInt32

    private init(offset: UInt32, count: UInt32) {
        self.offset = offset
        self.count = count
    }

    /// Blocks have less than 2 GiB: nil if the place is beyond.
    init?(_ range: Range<Int>) {
        guard range.upperBound <= Int32.max else { return nil }
        self.init(offset: UInt32(range.lowerBound), count: UInt32(range.count))
    }

    var range: Range<Int>? { count == .max ? nil : Int(offset)..<Int(offset) + Int(count) }
}
