import TelemetrySystem

/// Prevents changes of the system clock from changing the age of stored events.
///
/// A segment's age is based on its modification date, which comes from the system clock. The file `events/-clock` contains the
/// last clock reading and the uptime at that time: if the clock advanced by more than the uptime, it was set, and the dates
/// of earlier segments are moved accordingly.
struct RetentionClock {
    private struct ClockReading: Equatable {
        var boot: UInt64
        var uptime: Int64
        var now: Int64
    }

    /// A smaller deviation does not count as a clock change.
    private static let tolerance: Int64 = 60
    /// The dates accepted as possible: from 1970, for about ten thousand years.
    private static let dates: Range<Int64> = 0..<1 << 38

    private let path: String
    private let system: FileSystem
    /// The retention time in seconds.
    private let age: Int64

    init(layout: StoreLayout, system: FileSystem, age: Duration) {
        path = "\(layout.events)/-clock"
        self.system = system
        self.age = max(age.components.seconds, 0)
    }

    /// Records the clock reading if there is none yet.
    func begin() throws(FileError) {
        guard let file = try lock() else { return }
        defer { file.unlock() }
        if try last(in: file) == nil { try write(reading(), to: file) }
    }

    /// Moves the dates of segments if the clock was set, and returns the date before which segments are too old.
    ///
    /// - Returns: Nil if that is unknown: another process is doing this, or there is no space to record the time.
    func oldest(of segments: [ClientStore.Holding], path: (ClientStore.Holding) -> String) throws(FileError) -> Int64? {
        guard let file = try lock() else { return nil }
        defer { file.unlock() }
        let current = reading()
        guard Self.dates.contains(current.now) else { return nil }
        if let last = try last(in: file) {
            let expected = last.now + min(elapsed(from: last, to: current), Self.dates.upperBound)
            let jump = current.now - expected
            for segment in segments where jump > Self.tolerance && segment.modified <= expected + Self.tolerance {
                try move(path(segment), to: min(max(segment.modified, 0) + jump, current.now))
            }
        }
        // The clock was ahead: the age of these is unknown, and they would be kept for too long.
        for segment in segments where segment.modified > current.now + Self.tolerance {
            try move(path(segment), to: current.now)
        }
        try write(current, to: file)
        return current.now - age
    }

    /// The elapsed time: the difference of uptimes. After a restart it is taken from the clock, but limited to half of the
    /// retention time, so that a clock that starts with a wrong time removes nothing.
    private func elapsed(from last: ClockReading, to current: ClockReading) -> Int64 {
        if last.boot == current.boot, current.uptime >= last.uptime { return current.uptime - last.uptime }
        return min(max(current.now - last.now, 0), age / 2)
    }

    private func move(_ path: String, to date: Int64) throws(FileError) {
        do { try system.setModified(path, date) } catch {
            // Fails for a segment that was removed meanwhile or is another user's.
            guard error.isNotFound || error.isForbidden else { throw error }
        }
    }

    private func reading() -> ClockReading { ClockReading(boot: system.boot, uptime: system.uptime(), now: system.now()) }

    private func lock() throws(FileError) -> OpenFile? {
        let file = try system.open(path, for: .update)
        return try file.tryLock(.exclusive) ? file : nil
    }

    private func last(in file: OpenFile) throws(FileError) -> ClockReading? {
        let words = try file.read(at: 0, count: 256).prefix { $0 != UInt8(ascii: "\n") }.split(separator: UInt8(ascii: " "))
            .map { String(decoding: $0, as: UTF8.self) }
        guard words.count == 3, let boot = UInt64(words[0]), let uptime = Int64(words[1]), let now = Int64(words[2]),
            Self.dates.contains(uptime), Self.dates.contains(now)
        else { return nil }
        return ClockReading(boot: boot, uptime: uptime, now: now)
    }

    /// In place, which needs no space. Bytes after the line feed are left from an earlier reading.
    private func write(_ reading: ClockReading, to file: OpenFile) throws(FileError) {
        let text = Array("\(reading.boot) \(reading.uptime) \(reading.now)\n".utf8)
        try text.withUnsafeBufferPointer { text throws(FileError) in try file.write(UnsafeRawBufferPointer(text), at: 0) }
    }
}
