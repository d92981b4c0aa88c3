public import Foundation
import TelemetryTransport

/// A secret in a file that only its owner can read. It is generated once, even if several processes request it at the same time.
public struct FileTelemetrySecretStore: TelemetrySecretStoring {
    private let directory: URL

    /// - Parameter directory: The directory of the file `relay-secret`; created if it is missing, accessible to its owner only.
    ///   Use a directory that outlives the process and belongs to this installation, for example the one of the host's other
    ///   state.
    public init(directory: URL) { self.directory = directory }

    /// Reads the secret, or generates it.
    ///
    /// The file is created atomically: it is written under another name, synchronized, and then linked to its own name, which
    /// fails if another process was first.
    /// - Throws: ``/TelemetryTransport/TelemetryTransportError``: `.corrupted` for a file of another length, which is never
    ///   replaced, because relays have bound clients to its original contents; `.unavailable` or `.unauthorized` if the directory
    ///   cannot be used.
    public func secret() async throws -> Data {
        let path = directory.appendingPathComponent("relay-secret").path
        if let secret = try read(path) { return secret }
        do {
            try FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw TelemetryTransportError(
                code: .unavailable, message: "The directory for the installation's secret cannot be created: \(directory.path).",
                cause: error)
        }
        try make(path)
        guard let secret = try read(path) else {
            throw TelemetryTransportError(
                code: .unavailable, message: "The installation's secret was removed while it was generated: \(path).")
        }
        return secret
    }

    private func read(_ path: String) throws(TelemetryTransportError) -> Data? {
        // Without O_NONBLOCK, opening a named pipe in place of the file would wait for its writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw failure("opened", path, errno)
        }
        defer { close(descriptor) }
        // One byte more than allowed.
        var bytes = [UInt8](repeating: 0, count: InstallationSecret.byteCount + 1)
        var count = 0
        while count < bytes.count {
            let more = bytes.withUnsafeMutableBytes { buffer in
                systemRead(descriptor, UnsafeMutableRawBufferPointer(rebasing: buffer[count...]))
            }
            if more < 0 {
                if errno == EINTR { continue }
                throw failure("read", path, errno)
            }
            if more == 0 { break }
            count += more
        }
        guard count == InstallationSecret.byteCount else {
            throw TelemetryTransportError(
                code: .corrupted,
                message: "The file of the installation's secret does not have \(InstallationSecret.byteCount) bytes: \(path).")
        }
        return Data(bytes[..<count])
    }

    /// Does nothing if another process was first.
    private func make(_ path: String) throws(TelemetryTransportError) {
        let temporary = "\(path).\(UUID().uuidString).tmp"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failure("made", temporary, errno) }
        defer {
            close(descriptor)
            unlink(temporary)
        }
        let bytes = InstallationSecret.make()
        let written = bytes.withUnsafeBytes { systemWrite(descriptor, $0) }
        guard written == bytes.count else { throw failure("written", temporary, errno) }
        guard fsync(descriptor) == 0 else { throw failure("synchronised", temporary, errno) }
        guard link(temporary, path) == 0 || errno == EEXIST else { throw failure("made", path, errno) }
        synchronizeDirectory()
    }

    /// Failures are ignored, because not every file system supports it and the file is already written.
    private func synchronizeDirectory() {
        let descriptor = open(directory.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    private func failure(_ action: String, _ path: String, _ number: Int32) -> TelemetryTransportError {
        TelemetryTransportError(
            code: number == EACCES || number == EPERM ? .unauthorized : .unavailable,
            message: "The installation's secret could not be \(action): \(path): \(String(cString: strerror(number)))")
    }
}

private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    read(descriptor, buffer.baseAddress, buffer.count)
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
