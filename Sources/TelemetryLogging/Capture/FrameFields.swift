import TelemetryModels

/// The places of an event's values in its frame.
struct FrameFields {
    let flags: Frame.Flags
    /// Seconds since 2001.
    let seconds: Double
    let thread: UInt64
    let name: Range<Int>
    let scenario: Range<Int>?
    let property1: Range<Int>?
    /// Where the attributes begin; nil if there are none.
    let attributes: Int?
    /// The identity of an event that was dumped from a ring.
    let identity: UInt64?

    /// Nil if the frame is not that of an event, or is damaged so that it cannot be read.
    @inline(__always)
    init?(_ frame: ByteView) {
        var reader = FrameReader(frame, at: Frame.headerBytes)
        guard let rawFlags: UInt8 = reader.read() else { return nil }
        flags = Frame.Flags(rawValue: rawFlags)
        guard !flags.contains(.definition), let seconds: Double = reader.read(), let thread = reader.readCompact(),
            let name = reader.readRange()
        else { return nil }
        self.seconds = seconds
        self.thread = thread
        self.name = name
        if flags.contains(.scenario) {
            guard let range = reader.readRange() else { return nil }
            scenario = range
        } else {
            scenario = nil
        }
        if flags.contains(.property) {
            guard let range = reader.readRange() else { return nil }
            property1 = range
        } else {
            property1 = nil
        }
        attributes = flags.contains(.attributes) ? reader.offset : nil
        if flags.contains(.dumped) {
            guard let identity = frame.load(UInt64.self, at: frame.count - Frame.identityBytes) else { return nil }
            self.identity = identity
        } else {
            identity = nil
        }
    }

    /// The event's attributes; nil if they cannot be read.
    func attributes(in frame: ByteView) -> [String: TelemetryValue]? {
        var values: [String: TelemetryValue] = [:]
        let isWhole = forEachAttribute(in: frame) { name, value in
            values[frame[name].text] =
                switch value {
                case .text(let place): .string(frame[place].text)
                case .other(let value): value
                }
        }
        guard isWhole else { return nil }
        if identity != nil { values[CapturedEvent.capturedAttribute] = true }
        return values
    }

    /// Whether the event's attributes can be read.
    func hasReadableAttributes(in frame: ByteView) -> Bool { forEachAttribute(in: frame) { _, _ in } }

    /// Calls the body for each attribute in the frame. Returns false if they cannot be read.
    @inline(__always)
    func forEachAttribute(
        in frame: ByteView, _ body: (_ name: Range<Int>, _ value: AttributeCoding.Value) -> Void
    ) -> Bool {
        guard let attributes else { return true }
        var reader = FrameReader(frame, at: attributes)
        return AttributeCoding.forEach(in: &reader, body)
    }
}
