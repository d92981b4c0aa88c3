/// Keeps a clock that is set from making stored events older or younger than they are.
///
/// A segment's age goes by the date of its last change, which the machine's clock gave it. The file `events/-clock` has what
/// the clock showed last, and how long the machine had run by then: where the clock has gone on by more than the machine has
/// run, it was set, and the dates of the segments from before are moved on with it.
package struct RetentionClock {
    private struct ClockReading: Equatable {
        var boot: UInt64
        var uptime: Int64
        var now: Int64
    }

    /// Less than this a clock is off without having been set.
    private static let tolerance: Int64 = 60
    /// The dates that are taken for possible: from 1970 on, for some ten thousand years.
    private static let dates: Range<Int64> = 0..<1 << 38

    private let path: String
    private let system: FileSystem
    /// Seconds that events are kept.
    private let age: Int64

    package init(layout: StoreLayout, system: FileSystem, age: Duration) {
        path = "\(layout.events)/-clock"
        self.system = system
        self.age = max(age.components.seconds, 0)
    }

    /// Notes what the clock shows where nobody has yet.
    package func begin() throws(FileError) {
        guard let file = try lock() else { return }
        defer { file.unlock() }
        if try last(in: file) == nil { try write(reading(), to: file) }
    }

    /// Moves the dates of segments on if the clock was set, and returns the date before which segments are too old.
    ///
    /// - Returns: Nil where that cannot be told now: another process is at it, or there is no room to note the time.
    package func oldest(of segments: [ClientStore.Holding], path: (ClientStore.Holding) -> String) throws(FileError) -> Int64? {
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
        // The clock was ahead once: how old these are nobody knows, and they would stay for as long as it was.
        for segment in segments where segment.modified > current.now + Self.tolerance {
            try move(path(segment), to: current.now)
        }
        try write(current, to: file)
        return current.now - age
    }

    /// How much time has really gone by: what the machine has run. After a restart only the clock knows; how long the machine was off
    /// counts for no more than half of the age, so that a clock that starts out wrong takes nothing with it.
    private func elapsed(from last: ClockReading, to current: ClockReading) -> Int64 {
        if last.boot == current.boot, current.uptime >= last.uptime { return current.uptime - last.uptime }
        return min(max(current.now - last.now, 0), age / 2)
    }

    private func move(_ path: String, to date: Int64) throws(FileError) {
        do { try system.setModified(path, date) } catch {
            // A segment that is gone meanwhile, or that is not this user's, has a date of its own.
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

    /// In place, which takes no room. What is behind the line feed is left of an earlier reading.
    private func write(_ reading: ClockReading, to file: OpenFile) throws(FileError) {
        let text = Array("\(reading.boot) \(reading.uptime) \(reading.now)\n".utf8)
        try text.withUnsafeBufferPointer { text throws(FileError) in try file.write(UnsafeRawBufferPointer(text), at: 0) }
    }
}
