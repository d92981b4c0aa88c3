public import Synchronization

/// A pointer to memory that several threads use: an `UnsafeMutablePointer` that is `Sendable`.
///
/// It is the only type of the module that carries a pointer from thread to thread. Sharing it is sound because each of its
/// owners follows the same rules:
///
/// - The owner allocates the memory, and deallocates it in its own `deinit`. Every user of the pointer holds a reference to the
///   owner. Cells and tables belong to ``ScenarioGate``, meters to ``ScenarioBudgets``, segments to ``SegmentMemory``.
/// - Threads access at the same time only `Atomic` values, and values that have not changed since the pointer was shared.
/// - Any other access takes place under the owner's lock.
///
/// Copying and sending the pointer is safe. Access through ``start`` is not, since the compiler cannot check these rules.
@safe
@usableFromInline
struct SharedMemory<Element: ~Copyable>: @unchecked Sendable {
    @usableFromInline let start: UnsafeMutablePointer<Element>

    // The pointer is only stored.
    init(_ start: UnsafeMutablePointer<Element>) { unsafe self.start = start }

    /// Allocates and initializes the memory.
    init(count: Int, element: (_ index: Int) -> Element) {
        // All elements are initialized before the pointer is shared.
        unsafe start = .allocate(capacity: count)
        for index in 0..<count { unsafe (start + index).initialize(to: element(index)) }
    }

    /// Deinitializes and deallocates the memory, which must not be used any more.
    /// - Parameter count: The number of elements that were allocated.
    @unsafe
    func deallocate(count: Int) {
        // The caller is the owner, and all elements are initialized.
        unsafe start.deinitialize(count: count)
        unsafe start.deallocate()
    }
}

/// Stored in an `Atomic` like the pointer itself.
extension SharedMemory: AtomicOptionalRepresentable where Element: ~Copyable {
    @usableFromInline typealias AtomicRepresentation = UnsafeMutablePointer<Element>.AtomicRepresentation
    @usableFromInline
    typealias AtomicOptionalRepresentation = UnsafeMutablePointer<Element>.AtomicOptionalRepresentation

    // The following convert the pointer without accessing the memory.

    @usableFromInline
    static func encodeAtomicRepresentation(_ value: consuming Self) -> AtomicRepresentation {
        unsafe UnsafeMutablePointer.encodeAtomicRepresentation(value.start)
    }

    @usableFromInline
    static func decodeAtomicRepresentation(_ representation: consuming AtomicRepresentation) -> Self {
        unsafe Self(UnsafeMutablePointer.decodeAtomicRepresentation(representation))
    }

    @usableFromInline
    static func encodeAtomicOptionalRepresentation(_ value: consuming Self?) -> AtomicOptionalRepresentation {
        unsafe UnsafeMutablePointer.encodeAtomicOptionalRepresentation(value?.start)
    }

    @usableFromInline
    static func decodeAtomicOptionalRepresentation(_ representation: consuming AtomicOptionalRepresentation) -> Self? {
        let start = unsafe UnsafeMutablePointer<Element>.decodeAtomicOptionalRepresentation(representation)
        return unsafe start.map { unsafe Self($0) }
    }
}
