import Foundation

@testable import TelemetryLogging

/// The checksums of a spool's segment, which detect most damage.
enum SpoolAccess {
    /// Corrects the checksums of the header and of the frames after it.
    static func repair(_ bytes: inout [UInt8]) {
        guard bytes.count >= 48 else { return }
        bytes.withUnsafeMutableBytes { bytes in
            let start = Int(bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
            guard start >= 40, start <= bytes.count - Frame.terminatorBytes, let base = bytes.baseAddress else { return }
            let checksum = ByteHash.hash(base + 40, count: start - 40, seed: Frame.checksumSeed)
            bytes.storeBytes(of: checksum, toByteOffset: 32, as: UInt64.self)
            repairFrames(bytes, from: start)
        }
    }

    private static func repairFrames(_ bytes: UnsafeMutableRawBufferPointer, from start: Int) {
        var sequence = bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
        var offset = start
        while let length = FrameDecoder.length(at: offset, in: ByteView(UnsafeRawBufferPointer(bytes))) {
            let frame = UnsafeMutableRawBufferPointer(rebasing: bytes[offset..<(offset + length)])
            guard let base = frame.baseAddress, length > Frame.headerBytes, length & 3 == 0 else { return }
            let isDefinition = FrameDecoder.isDefinition(ByteView(UnsafeRawBufferPointer(frame)))
            let body = Frame.checksum(of: base + Frame.headerBytes, count: length - Frame.headerBytes)
            let checksum = Frame.checksum(body, sequence: isDefinition ? Frame.definitionSequence : sequence)
            frame.storeBytes(of: checksum, toByteOffset: 4, as: UInt32.self)
            if !isDefinition { sequence &+= 1 }
            offset += length
        }
    }
}
