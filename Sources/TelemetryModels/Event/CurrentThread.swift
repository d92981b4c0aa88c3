// Foundation re-exports the C library of each system.
import Foundation

/// The calling thread's number, as shown by the system's own tools.
public enum CurrentThread {
    /// The number in decimal.
    public static var identifier: String { "\(number)" }

    /// Linux: the kernel's thread identifier. Apple's systems: the result of `pthread_threadid_np`.
    ///
    /// Looked up once per thread and kept in a thread-specific slot; a later call costs a few nanoseconds.
    public static var number: UInt64 {
        guard let slot else { return lookUp() }
        if let known = pthread_getspecific(slot) { return known.load(as: UInt64.self) }
        let number = lookUp()
        // Only this thread accesses the memory. The slot's destructor frees it when the thread ends.
        if let memory = malloc(MemoryLayout<UInt64>.size) {
            memory.storeBytes(of: number, as: UInt64.self)
            if pthread_setspecific(slot, memory) != 0 { free(memory) }
        }
        return number
    }

    /// Nil if the process has no slot left; then every call looks the number up.
    private static let slot: pthread_key_t? = {
        var key = pthread_key_t()
        return pthread_key_create(&key, { free($0) }) == 0 ? key : nil
    }()

    private static func lookUp() -> UInt64 {
        #if canImport(Darwin)
        var number: UInt64 = 0
        pthread_threadid_np(nil, &number)
        return number
        #else
        // Glibc's module does not import gettid(); this link has the same number: "<process>/task/<thread>".
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = bytes.withUnsafeMutableBytes { buffer in
            buffer.baseAddress.map { readlink("/proc/thread-self", $0, buffer.count) } ?? -1
        }
        let number = bytes.prefix(max(count, 0)).split(separator: UInt8(ascii: "/")).last
        return number.flatMap { UInt64(String(decoding: $0, as: UTF8.self)) } ?? UInt64(getpid())
        #endif
    }
}
