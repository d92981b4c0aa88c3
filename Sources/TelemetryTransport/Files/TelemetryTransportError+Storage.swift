import TelemetryStorage

extension TelemetryTransportError {
    /// Creates the equivalent of an error of the storage engine.
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
    /// The equivalent error of a transport.
    var transportError: TelemetryTransportError { TelemetryTransportError(storeError) }
}
