import Foundation
import TelemetryModels
import TelemetrySystem

/// A process. Processes that run after one another may have the same number, in a container even mostly.
struct ProcessIdentity: Sendable, Equatable {
    let key: UInt64
    /// The system's number.
    let number: Int32

    static let current = ProcessIdentity(
        key: .random(in: .min ... .max), number: ProcessInfo.processInfo.processIdentifier)
}

/// The mark of a session that runs: a file that the end of the session removes. A process that ends in another way leaves it to the next
/// start.
///
///     0  UInt64  magic number; written last: a file without it has no content yet
///     8  Float64 when the session was last active, in seconds since 2001
///    16  Float64 the same in seconds since the boot
///    24  UInt64  what ``FatalSignals`` stores; 0 for nothing
///    32  UInt64  checksum of the rest
///    40  UInt32  the number of bytes of the rest
///    44  …       boot, process, whether signals are recorded, whether there is a client, kills for lack of memory; strings: session,
///                client, app version
struct SessionMark: Sendable {
    private static let magic: UInt64 = 0x3130_4B52_414D_544C  // "LTMARK01"
    private static let restStart = 44
    static let bytes = 4_096
    /// The maximum number of bytes of a string. A session whose client has a longer identifier has no mark.
    static let textLimit = 1_024
    /// In seconds: beyond any date that an event can have.
    private static let maximumTime = 1e11

    struct Content: Sendable, Equatable {
        let session: String
        let clientId: String?
        let appVersion: String
        let process: ProcessIdentity
        let recordsSignals: Bool
        /// At the beginning of the session; nil if the system does not count them.
        let memoryKills: OutOfMemoryKills?
        /// In seconds since 2001.
        var lastActive: Double
        var active: BootTime
        /// What ended the process, as far as it was recorded.
        var end: FatalSignals.End?
    }

    private let memory: SegmentMemory
    private let recordsSignals: Bool

    /// Writes a mark to memory of ``bytes`` bytes that is zero, and stays mapped if signals are recorded.
    init(_ content: Content, in memory: SegmentMemory) {
        self.memory = memory
        // The memory is aligned, and stays mapped.
        recordsSignals = unsafe content.recordsSignals && FatalSignals.record(in: memory.bytes.start + 24)
        let recordsSignals = recordsSignals
        let rest = FrameWriter.bytes(capacity: Self.bytes - Self.restStart) { writer in
            writer.write(content.active.boot)
            writer.write(content.process.key)
            writer.write(content.process.number)
            writer.write(UInt8(recordsSignals ? 1 : 0))
            writer.write(UInt8(content.clientId == nil ? 0 : 1))
            writer.write(UInt8(content.memoryKills.map { $0.endsProcess ? 2 : 1 } ?? 0))
            writer.write(content.memoryKills?.device ?? 0)
            writer.write(content.memoryKills?.inode ?? 0)
            writer.write(content.memoryKills?.count ?? 0)
            for text in [content.session, content.clientId ?? "", content.appVersion] {
                writer.write(text: TextLimits.cut(text, to: Self.textLimit))
            }
        }
        rest.withByteView {
            memory.store($0.hash(seed: Self.magic), at: 32)
            memory.copy($0, to: Self.restStart)
        }
        memory.store(UInt32(rest.count), at: 40)
        touch(lastActive: content.lastActive, active: content.active)
        memory.publish(Self.magic, at: 0)
    }

    func touch(lastActive: Double, active: BootTime) {
        memory.publish(lastActive.bitPattern, at: 8)
        memory.publish(active.seconds.bitPattern, at: 16)
    }

    /// Removes the mark.
    func end() {
        // No signal is recorded there from now on.
        if recordsSignals { unsafe FatalSignals.stopRecording(in: memory.bytes.start + 24) }
        memory.file?.remove()
    }

    static func read(_ file: ByteView) -> FileReading<Content> {
        guard file.count >= restStart, let found = file.load(UInt64.self, at: 0), let lastActive = file.load(Double.self, at: 8),
            let seconds = file.load(Double.self, at: 16), let end = file.load(UInt64.self, at: 24),
            let checksum = file.load(UInt64.self, at: 32), let count = file.load(UInt32.self, at: 40)
        else { return file.areZero ? .empty : .corrupt }
        if found == 0 { return .empty }
        guard found == magic, file.count - restStart >= count, abs(lastActive) < maximumTime,
            abs(seconds) < maximumTime
        else { return .corrupt }
        let rest = file[restStart..<(restStart + Int(count))]
        var reader = FrameReader(rest)
        guard rest.hash(seed: magic) == checksum, let boot = reader.read(UInt64.self), let key = reader.read(UInt64.self),
            let number = reader.read(Int32.self), let recordsSignals = reader.read(UInt8.self),
            let hasClient = reader.read(UInt8.self), let kills = reader.read(UInt8.self),
            let device = reader.read(UInt64.self), let inode = reader.read(UInt64.self), let count = reader.read(UInt64.self),
            let session = reader.readText(), let clientId = reader.readText(), let appVersion = reader.readText()
        else { return .corrupt }
        return .content(
            Content(
                session: session, clientId: hasClient == 1 ? clientId : nil, appVersion: appVersion,
                process: ProcessIdentity(key: key, number: number),
                recordsSignals: recordsSignals == 1,
                memoryKills: kills == 0
                    ? nil : OutOfMemoryKills(device: device, inode: inode, count: count, endsProcess: kills == 2),
                lastActive: lastActive, active: BootTime(boot: boot, seconds: seconds),
                end: FatalSignals.End(stored: end)))
    }
}
