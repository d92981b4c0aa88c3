public import Foundation
import Synchronization

/// <https://developer.apple.com/documentation/metrickit/mxmetricmanager>
public final class MXMetricManager: NSObject, Sendable {
    /// <https://developer.apple.com/documentation/metrickit/mxmetricmanager/shared>
    public static let shared = MXMetricManager()

    private let subscribers = Mutex<[ObjectIdentifier: any MXMetricManagerSubscriber & Sendable]>([:])

    /// <https://developer.apple.com/documentation/metrickit/mxmetricmanager/add(_:)>
    ///
    /// The SDK's does not require `Sendable`, but calls subscribers on a queue of its own.
    public func add(_ subscriber: any MXMetricManagerSubscriber & Sendable) {
        subscribers.withLock { $0[ObjectIdentifier(subscriber)] = subscriber }
    }

    /// <https://developer.apple.com/documentation/metrickit/mxmetricmanager/remove(_:)>
    public func remove(_ subscriber: any MXMetricManagerSubscriber & Sendable) {
        subscribers.withLock { $0[ObjectIdentifier(subscriber)] = nil }
    }

    /// Delivers a report about a crash to all subscribers.
    public func standInDeliver(_ diagnostic: MXCrashDiagnostic) {
        let payload = MXDiagnosticPayload(crashDiagnostics: [diagnostic])
        for subscriber in subscribers.withLock({ Array($0.values) }) { subscriber.didReceive([payload]) }
    }
}

/// <https://developer.apple.com/documentation/metrickit/mxmetricmanagersubscriber>
///
/// Optional requirements of the SDK are required here, so that a different signature does not compile.
public protocol MXMetricManagerSubscriber: NSObjectProtocol {
    /// <https://developer.apple.com/documentation/metrickit/mxmetricmanagersubscriber/didreceive(_:)-9yd4u>
    func didReceive(_ payloads: [MXDiagnosticPayload])
}

/// <https://developer.apple.com/documentation/metrickit/mxdiagnosticpayload>
public final class MXDiagnosticPayload: NSObject {
    /// <https://developer.apple.com/documentation/metrickit/mxdiagnosticpayload/crashdiagnostics>
    public let crashDiagnostics: [MXCrashDiagnostic]?

    init(crashDiagnostics: [MXCrashDiagnostic]?) { self.crashDiagnostics = crashDiagnostics }
}

/// <https://developer.apple.com/documentation/metrickit/mxdiagnostic>
public class MXDiagnostic: NSObject {
    /// <https://developer.apple.com/documentation/metrickit/mxdiagnostic/metadata>
    public let metaData: MXMetaData
    /// <https://developer.apple.com/documentation/metrickit/mxdiagnostic/applicationversion>
    public let applicationVersion: String

    init(metaData: MXMetaData, applicationVersion: String) {
        self.metaData = metaData
        self.applicationVersion = applicationVersion
    }
}

/// <https://developer.apple.com/documentation/metrickit/mxmetadata>
public final class MXMetaData: NSObject {
    /// <https://developer.apple.com/documentation/metrickit/mxmetadata/pid>
    public let pid: pid_t

    init(pid: pid_t) { self.pid = pid }
}

/// <https://developer.apple.com/documentation/metrickit/mxcrashdiagnostic>
public final class MXCrashDiagnostic: MXDiagnostic {
    /// <https://developer.apple.com/documentation/metrickit/mxcrashdiagnostic/callstacktree>
    public let callStackTree: MXCallStackTree
    /// <https://developer.apple.com/documentation/metrickit/mxcrashdiagnostic/signal>
    public let signal: NSNumber?
    /// <https://developer.apple.com/documentation/metrickit/mxcrashdiagnostic/exceptiontype>
    public let exceptionType: NSNumber?
    /// <https://developer.apple.com/documentation/metrickit/mxcrashdiagnostic/exceptioncode>
    public let exceptionCode: NSNumber?
    /// <https://developer.apple.com/documentation/metrickit/mxcrashdiagnostic/terminationreason>
    public let terminationReason: String?

    public init(
        standInProcess process: pid_t, signal: NSNumber?, exceptionType: NSNumber?, exceptionCode: NSNumber?,
        terminationReason: String?, applicationVersion: String, callStackTree: String
    ) {
        self.callStackTree = MXCallStackTree(Data(callStackTree.utf8))
        self.signal = signal
        self.exceptionType = exceptionType
        self.exceptionCode = exceptionCode
        self.terminationReason = terminationReason
        super.init(metaData: MXMetaData(pid: process), applicationVersion: applicationVersion)
    }
}

/// <https://developer.apple.com/documentation/metrickit/mxcallstacktree>
public final class MXCallStackTree: NSObject {
    private let json: Data

    init(_ json: Data) { self.json = json }

    /// <https://developer.apple.com/documentation/metrickit/mxcallstacktree/jsonrepresentation()>
    public func jsonRepresentation() -> Data { json }
}
