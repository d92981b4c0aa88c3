import TelemetrySystem

/// Identifies the content of a completed journal file without reading it.
struct JournalIndexStamp: Equatable {
    var number: UInt64
    var size: UInt64
    var seconds: UInt64
    var nanoseconds: UInt64
    var inode: UInt64
    /// A hash of the store's identifier.
    var store: UInt64

    /// Nil for a file that is still written to.
    init?(_ number: UInt64, _ status: FileStatus, storeID: String) {
        if status.isWritable { return nil }
        self.number = number
        size = status.size
        seconds = UInt64(bitPattern: status.modified)
        nanoseconds = UInt64(bitPattern: status.modifiedNanoseconds)
        inode = status.inode
        store = storeID.withBytes { IndexChecksum.hash(UnsafeRawBufferPointer($0)) }
    }

    var words: [UInt64] { [number, size, seconds, nanoseconds, inode, store] }
}

/// A 64-bit checksum of a part of an index.
enum IndexChecksum {
    static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325 ^ UInt64(bytes.count)
        var index = 0
        while index + 8 <= bytes.count {
            hash = mix(hash, bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self).littleEndian)
            index += 8
        }
        while index < bytes.count {
            hash = mix(hash, UInt64(bytes[index]))
            index += 1
        }
        return hash
    }

    @inline(__always)
    private static func mix(_ hash: UInt64, _ word: UInt64) -> UInt64 {
        let mixed = (hash ^ word) &* 0x9e37_79b9_7f4a_7c15
        return mixed ^ mixed >> 32
    }
}
