import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#elseif canImport(Glibc)
import Glibc
#endif

/// Records which signal ends the process, or that the process ends by itself, in mapped memory.
///
/// The handlers only store numbers and read a clock, which POSIX.1-2017, section 2.4.3, allows, and then call the handler that was
/// installed before, or let the signal take its course. They run on the thread's alternate stack if it has one; without one, the
/// overflow of a thread's stack ends the process before a handler can run.
package enum FatalSignals {
    /// What ended the process.
    package enum End: Sendable, Equatable {
        /// A signal, when the system had run for so many seconds.
        case signal(Int32, uptime: UInt32)
        /// `exit`, or a return from the main function.
        case exit

        /// Nil for a stored value of 0: neither was recorded.
        package init?(stored value: UInt64) {
            guard value != 0 else { return nil }
            let signal = Int32(truncatingIfNeeded: value >> 32)
            self = signal == 0 ? .exit : .signal(signal, uptime: UInt32(truncatingIfNeeded: value))
        }

        var stored: UInt64 {
            switch self {
            case .signal(let signal, let uptime): UInt64(UInt32(bitPattern: signal)) << 32 | UInt64(uptime)
            case .exit: 1
            }
        }
    }

    /// The signals that are recorded, and their names.
    package static let names: [Int32: String] = [
        SIGSEGV: "SIGSEGV", SIGBUS: "SIGBUS", SIGILL: "SIGILL", SIGTRAP: "SIGTRAP", SIGFPE: "SIGFPE", SIGABRT: "SIGABRT",
    ]

    /// Stores the end of the process in these 8 bytes, which are aligned, until ``stopRecording(in:)``. They must never be unmapped: a
    /// handler may have read their address before. The first call installs the handlers, for as long as the process runs.
    /// - Returns: False if four addresses are in use, and in a child process without a program of its own.
    package static func record(in memory: UnsafeMutableRawPointer) -> Bool {
        guard EndAddresses.all.isProcess, EndAddresses.all.replace(0, by: UInt(bitPattern: memory)) else { return false }
        _ = installation
        return true
    }

    package static func stopRecording(in memory: UnsafeMutableRawPointer) {
        _ = EndAddresses.all.replace(UInt(bitPattern: memory), by: 0)
    }

    private static let installation: Void = {
        // Read before any handler can run.
        let previous = PreviousHandlers.all
        for signal in names.keys where !previous.areIgnored(signal) {
            // The previous handler may need its mask and flags, as Swift's backtracer does.
            var action = sigaction()
            sigaction(signal, nil, &action)
            action.sa_flags |= SA_SIGINFO
            // A handler of the host may need more room than an alternate stack has.
            if previous.areDefault(signal) { action.sa_flags |= Int32(SA_ONSTACK) }
            action.setHandler(handle)
            sigaction(signal, &action, nil)
        }
        atexit { EndAddresses.all.store(.exit) }
    }()
}

private typealias SignalHandler = @convention(c) (Int32, UnsafeMutablePointer<siginfo_t>?, UnsafeMutableRawPointer?) -> Void

private let handle: SignalHandler = { signal, information, context in
    let savedError = errno
    EndAddresses.all.store(.signal(signal, uptime: UInt32(clamping: SystemBoot.uptime)))
    errno = savedError
    PreviousHandlers.all.call(signal, information, context)
}

/// Where ends are stored, for a few loggers.
private struct EndAddresses: ~Copyable, Sendable {
    static let all = EndAddresses()

    /// A child process has the same memory until it runs a program of its own.
    private let process = getpid()
    // An array would allocate memory.
    private let first = Atomic<UInt>(0), second = Atomic<UInt>(0), third = Atomic<UInt>(0), fourth = Atomic<UInt>(0)

    var isProcess: Bool { getpid() == process }

    func store(_ end: FatalSignals.End) {
        guard isProcess else { return }
        store(end, at: first.load(ordering: .acquiring))
        store(end, at: second.load(ordering: .acquiring))
        store(end, at: third.load(ordering: .acquiring))
        store(end, at: fourth.load(ordering: .acquiring))
    }

    private func store(_ end: FatalSignals.End, at address: UInt) {
        guard let memory = UnsafeMutablePointer<UInt64>(bitPattern: address) else { return }
        // A handler of the host may call `exit` after a signal.
        if case .exit = end, memory.pointee != 0 { return }
        memory.pointee = end.stored
    }

    func replace(_ old: UInt, by new: UInt) -> Bool {
        Self.replace(old, by: new, in: first) || Self.replace(old, by: new, in: second)
            || Self.replace(old, by: new, in: third) || Self.replace(old, by: new, in: fourth)
    }

    private static func replace(_ old: UInt, by new: UInt, in address: borrowing Atomic<UInt>) -> Bool {
        address.compareExchange(expected: old, desired: new, ordering: .acquiringAndReleasing).exchanged
    }
}

/// What was installed before.
private struct PreviousHandlers: Sendable {
    private struct Handler: Sendable {
        /// The function, or 0 for SIG_DFL and 1 for SIG_IGN.
        let address: UInt
        let takesInformation: Bool

        init(_ signal: Int32) {
            var action = sigaction()
            sigaction(signal, nil, &action)
            address = action.handlerAddress
            takesInformation = Int32(action.sa_flags) & SA_SIGINFO != 0
        }
    }

    static let all = PreviousHandlers()
    // Not in a dictionary, because its hashing may allocate memory.
    private let segv = Handler(SIGSEGV), bus = Handler(SIGBUS), ill = Handler(SIGILL), trap = Handler(SIGTRAP)
    private let fpe = Handler(SIGFPE), abrt = Handler(SIGABRT)

    func areIgnored(_ signal: Int32) -> Bool { handler(of: signal).address == 1 }

    func areDefault(_ signal: Int32) -> Bool { handler(of: signal).address == 0 }

    func call(_ signal: Int32, _ information: UnsafeMutablePointer<siginfo_t>?, _ context: UnsafeMutableRawPointer?) {
        let handler = handler(of: signal)
        if handler.address == 0 {
            // The default disposition. The signal is delivered once this handler returns.
            var action = sigaction()
            sigemptyset(&action.sa_mask)
            sigaction(signal, &action, nil)
            raise(signal)
        } else if handler.takesInformation {
            unsafeBitCast(handler.address, to: SignalHandler.self)(signal, information, context)
        } else {
            unsafeBitCast(handler.address, to: (@convention(c) (Int32) -> Void).self)(signal)
        }
    }

    private func handler(of signal: Int32) -> Handler {
        switch signal {
        case SIGSEGV: segv
        case SIGBUS: bus
        case SIGILL: ill
        case SIGTRAP: trap
        case SIGFPE: fpe
        default: abrt
        }
    }
}

extension sigaction {
    /// Where the structure has its handler: at its beginning, except in Android's `bits/signal_types.h` for 64 bits, where the flags
    /// come first. The member has another name in each library.
    private static let handlerOffset: Int = {
        #if os(Android) && _pointerBitWidth(_64)
        8
        #else
        0
        #endif
    }()

    fileprivate var handlerAddress: UInt {
        withUnsafeBytes(of: self) { $0.load(fromByteOffset: Self.handlerOffset, as: UInt.self) }
    }

    fileprivate mutating func setHandler(_ handler: @escaping SignalHandler) {
        let address = unsafeBitCast(handler, to: UInt.self)
        withUnsafeMutableBytes(of: &self) { $0.storeBytes(of: address, toByteOffset: Self.handlerOffset, as: UInt.self) }
    }
}
