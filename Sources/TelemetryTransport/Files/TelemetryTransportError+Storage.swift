import TelemetryStorage

extension TelemetryTransportError {
    /// What the storage engine says, as a value that a caller of the transport can act on.
    init(_ error: StoreError) {
        let code: Code =
            switch error.code {
            case .invalidArgument: .invalidArgument
            case .unauthorized: .unauthorized
            case .corrupted: .corrupted
            case .quotaExceeded: .quotaExceeded
            case .unavailable: .unavailable
            }
        self.init(code: code, message: error.message, cause: error.cause)
    }
}

extension FileError {
    /// The same as a value that a caller of the transport can act on.
    var transportError: TelemetryTransportError { TelemetryTransportError(storeError) }
}
