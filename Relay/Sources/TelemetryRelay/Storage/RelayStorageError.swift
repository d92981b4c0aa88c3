/// An error of a storage.
public enum RelayStorageError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The disk is full. Nothing of the call was stored; the same call succeeds once there is space.
    case full
    /// The database is busy or does not respond; the same call may succeed later.
    case unavailable(String)
    /// The database refused the values of the call. Nothing of it was stored.
    case refused(String)
    /// All connections to the database are in use.
    case busy
    /// A statement took longer than the database allows. Nothing of it was stored.
    case timedOut
    /// The file is not a database, or is damaged. It was not changed.
    case corrupt(String)
    /// The database was written by a later version of the relay.
    case newerVersion
    /// The database was written by an earlier version of the relay, which stored events in another form. It was not changed.
    case olderVersion
    /// The cursor does not belong to this storage.
    case invalidCursor
    /// A token with that name exists or existed, or a webhook exists.
    case nameInUse(String)
    /// The storage was closed.
    case closed

    public var description: String {
        switch self {
        case .full: "the disk is full"
        case .unavailable(let reason): "the database is not available: \(reason)"
        case .refused(let reason): "the database refused the values: \(reason)"
        case .busy: "all connections to the database are in use"
        case .timedOut: "a statement exceeds the database's time limit"
        case .corrupt(let reason): "the database is corrupt: \(reason)"
        case .newerVersion: "the database was written by a later version of the relay"
        case .olderVersion:
            "the database was written by an earlier version of the relay: save its events with that version and `telemetry export`, "
                + "and store them in a new database with `telemetry import`"
        case .invalidCursor: "the cursor is not valid"
        case .nameInUse(let name): "the name \"\(name)\" is or was in use"
        case .closed: "the storage is closed"
        }
    }
}
