import Foundation

/// The dates of a file, with every digit, which `FileManager` does not keep.
struct FileDates {
    private let times: [timespec]

    init(_ file: URL) throws {
        var status = stat()
        guard stat(file.path, &status) == 0 else { throw CocoaError(.fileReadUnknown) }
        #if canImport(Darwin)
        times = [status.st_atimespec, status.st_mtimespec]
        #else
        times = [status.st_atim, status.st_mtim]
        #endif
    }

    func apply(to file: URL) throws {
        guard utimensat(AT_FDCWD, file.path, times, 0) == 0 else { throw CocoaError(.fileWriteUnknown) }
    }
}
