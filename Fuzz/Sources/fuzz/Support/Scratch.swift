import Foundation

/// A temporary directory of this process, in memory if the system supports it.
enum Scratch {
    static let directory: String = {
        let parent = FileManager.default.isWritableFile(atPath: "/dev/shm") ? "/dev/shm" : NSTemporaryDirectory()
        let path = "\(parent)/livetelemetry-fuzz-\(getpid())"
        mkdir(path, 0o700)
        atexit { Scratch.remove(Scratch.directory) }
        return path
    }()

    /// Returns the path of a directory that does not exist yet.
    static func fresh(_ name: String) -> String {
        let path = "\(directory)/\(name)"
        remove(path)
        return path
    }

    static func remove(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            unlink(path)
            return
        }
        for name in names(in: path) { remove("\(path)/\(name)") }
        rmdir(path)
    }

    static func names(in path: String) -> [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    static func write(_ bytes: [UInt8], to path: String, mode: mode_t = 0o600) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        var done = 0
        bytes.withUnsafeBytes { buffer in
            while done < buffer.count, let base = buffer.baseAddress {
                let count = Glibc.write(descriptor, base + done, buffer.count - done)
                if count <= 0 { break }
                done += count
            }
        }
        if mode != 0o600 { fchmod(descriptor, mode) }
        close(descriptor)
    }

    static func read(_ path: String) -> [UInt8] { FileManager.default.contents(atPath: path).map(Array.init) ?? [] }
}
