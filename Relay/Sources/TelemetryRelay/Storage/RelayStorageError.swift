/// Why a storage did not do what it was asked for.
public enum RelayStorageError: Error, Sendable, Equatable, CustomStringConvertible {
    /// There is no room on the disk. Nothing of the call was stored; the same call succeeds when there is room again.
    case full
    /// The database is busy or does not answer now; the same call may succeed later.
    case unavailable(String)
    /// The database cannot be read: it is not one, or it is damaged. It was not changed.
    case corrupt(String)
    /// A later version of the relay has written the database.
    case newerVersion
    /// The cursor is not one of this storage's.
    case invalidCursor
    /// A token of that name exists, or existed.
    case nameInUse(String)
    /// The storage was closed.
    case closed

    public var description: String {
        switch self {
        case .full: "the disk is full"
        case .unavailable(let reason): "the database is not available: \(reason)"
        case .corrupt(let reason): "the database is corrupt: \(reason)"
        case .newerVersion: "the database was written by a later version of the relay"
        case .invalidCursor: "the cursor is not valid"
        case .nameInUse(let name): "a token named \"\(name)\" exists or existed"
        case .closed: "the storage is closed"
        }
    }
}
