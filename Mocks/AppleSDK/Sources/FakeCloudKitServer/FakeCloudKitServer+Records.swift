import Foundation
import Synchronization

extension FakeCloudKitServer {
    public typealias SaveResults = [String: Result<ServerRecord, ServerFault>]
    public typealias DeleteResults = [String: Result<Void, ServerFault>]

    /// Saves and deletes records independently: the public database has no atomic operations.
    /// - Parameter comparesTags: Whether a record is saved only if the stored version has its tag.
    public func modify(
        database: String, saving: [ServerRecord], deleting: [String], comparesTags: Bool, by caller: Caller
    ) throws -> (saved: SaveResults, deleted: DeleteResults) {
        defer { deliverPushes() }
        return try state.withLock { state in
            state.operationSizes.append(saving.count + deleting.count)
            try state.begin()
            let bytes = saving.reduce(0) { $0 + $1.bytes }
            guard saving.count + deleting.count <= state.options.maximumItems, bytes <= state.options.maximumBytes else {
                throw ServerFault(code: FaultCode.limitExceeded, message: "Your request contains too many items or bytes.")
            }
            guard Set(saving.map(\.name)).count == saving.count, Set(deleting).count == deleting.count else {
                throw ServerFault(code: FaultCode.invalidArguments, message: "You can't save the same record twice.")
            }
            var (saved, deleted): (SaveResults, DeleteResults) = ([:], [:])
            for record in saving {
                saved[record.name] = Result {
                    () throws(ServerFault) in try state.save(record, in: database, comparesTags: comparesTags, by: caller)
                }
            }
            for name in deleting {
                deleted[name] = Result { () throws(ServerFault) in try state.delete(name, in: database, by: caller) }
            }
            state.now += state.options.creationSpread
            guard state.options.failsPartially else { return (saved, deleted) }
            var faults: [String: ServerFault] = [:]
            for (name, result) in saved { if case .failure(let fault) = result { faults[name] = fault } }
            for (name, result) in deleted { if case .failure(let fault) = result { faults[name] = fault } }
            guard faults.isEmpty else {
                throw ServerFault(code: FaultCode.partialFailure, message: "Some items failed.", partial: faults)
            }
            return (saved, deleted)
        }
    }

    /// The records of these names. Missing records are left out, and so are those that the caller may not read, unless the server
    /// reports them.
    public func fetch(database: String, names: [String], by caller: Caller) throws -> SaveResults {
        try state.withLock { state in
            try state.begin()
            guard names.count <= state.options.maximumItems else {
                throw ServerFault(code: FaultCode.limitExceeded, message: "Your request contains too many items.")
            }
            var results: SaveResults = [:]
            for name in names {
                guard let record = state.databases[database]?.records[name] else { continue }
                if state.may(.read, caller, type: record.type, creator: record.creator, in: database) {
                    results[name] = .success(record)
                } else if state.options.reportsForbidden {
                    results[name] = .failure(
                        ServerFault(code: FaultCode.permissionFailure, message: "READ operation not permitted."))
                }
            }
            return results
        }
    }

    /// A page of a query's current results, from an offset, and the next page's offset.
    public func find(
        database: String, _ query: ServerQuery, offset: Int, limit: Int?, by caller: Caller
    ) throws -> (records: [ServerRecord], next: Int?) {
        try state.withLock { state in
            try state.begin()
            if state.schema != nil, state.schema?.types[query.type] == nil {
                throw ServerFault(code: FaultCode.unknownItem, message: "Did not find record type: \(query.type)")
            }
            let conditions = try query.conditions()
            try state.admit(query, conditions)
            let contents = state.databases[database] ?? Database()
            var found = contents.index.values.filter { indexed in
                indexed.type == query.type && conditions.allSatisfy { $0.holds(for: indexed) }
                    && state.may(.read, caller, type: indexed.type, creator: indexed.creator, in: database)
            }
            // Without a sort order any order is valid, also for records that were created together; this one exposes code that
            // relies on one.
            let keyed = found.map { (created: $0.created ?? .distantPast, order: state.options.order(of: $0.name), record: $0) }
            found = keyed.sorted { left, right in
                guard let ascending = query.ascendingByCreation, left.created != right.created else {
                    return left.order < right.order
                }
                return (left.created < right.created) == ascending
            }.map(\.record)
            // The index determines the records; their contents are read from the store.
            let page = found.dropFirst(offset).prefix(limit.map { min($0, state.options.pageSize) } ?? state.options.pageSize)
            let end = offset + page.count
            return (page.compactMap { contents.records[$0.name] }, end < found.count ? end : nil)
        }
    }
}

extension FakeCloudKitServer.State {
    fileprivate mutating func save(
        _ record: ServerRecord, in database: String, comparesTags: Bool, by caller: FakeCloudKitServer.Caller
    ) throws(ServerFault) -> ServerRecord {
        if let fault = itemFaults[record.name]?.first {
            itemFaults[record.name]?.removeFirst()
            throw fault
        }
        if !anyItemFaults.isEmpty { throw anyItemFaults.removeFirst() }
        guard caller.user != nil else {
            throw ServerFault(code: FaultCode.notAuthenticated, message: "This request requires an authenticated account.")
        }
        guard record.bytes <= options.maximumRecordBytes else {
            throw ServerFault(code: FaultCode.limitExceeded, message: "The record is too large.")
        }
        let stored = databases[database]?.records[record.name]
        if comparesTags, record.tag != stored?.tag {
            guard let stored else { throw ServerFault(code: FaultCode.unknownItem, message: "The record is gone.") }
            throw ServerFault(code: FaultCode.serverRecordChanged, message: "The record changed.", stored: stored)
        }
        do { try admit(record) } catch let fault as ServerFault { throw fault } catch {
            throw ServerFault(code: FaultCode.invalidArguments, message: "\(error)")
        }
        let permission: ServerSchema.Permission = stored == nil ? .create : .write
        guard may(permission, caller, type: record.type, creator: stored?.creator, in: database) else {
            throw ServerFault(code: FaultCode.permissionFailure, message: "\(permission.rawValue) operation not permitted.")
        }
        nextTag += 1
        var saved = record
        saved.fields = record.fields.mapValues(options.kept)
        saved.tag = "t\(nextTag)"
        saved.creator = stored?.creator ?? caller.user
        saved.created = stored?.created ?? now + options.creationDelay(of: record.name)
        set(saved, named: record.name, in: database)
        push(about: saved, before: stored, in: database, by: caller)
        return saved
    }

    fileprivate mutating func delete(
        _ name: String, in database: String, by caller: FakeCloudKitServer.Caller
    ) throws(ServerFault) {
        // Deleting a missing record is not an error.
        guard let stored = databases[database]?.records[name] else { return }
        guard may(.write, caller, type: stored.type, creator: stored.creator, in: database) else {
            throw ServerFault(code: FaultCode.permissionFailure, message: "WRITE operation not permitted.")
        }
        set(nil, named: name, in: database)
        push(about: stored, before: stored, in: database, by: caller)
    }

    private mutating func set(_ record: ServerRecord?, named name: String, in database: String) {
        databases[database, default: .init()].records[name] = record
        databases[database, default: .init()].lag.append((now + options.indexDelay, name, record))
        databases[database]?.catchUp(to: now)
    }
}

extension FakeCloudKitServer.Options {
    /// A value as it is stored.
    func kept(_ value: ServerValue) -> ServerValue {
        guard keepsWholeMilliseconds, case .date(let date) = value else { return value }
        return .date(Date(timeIntervalSince1970: (date.timeIntervalSince1970 * 1_000).rounded(.down) / 1_000))
    }

    /// In whole milliseconds, as the server keeps times.
    func creationDelay(of name: String) -> TimeInterval {
        let milliseconds = UInt64(creationSpread * 1_000)
        return milliseconds == 0 ? 0 : Double(order(of: name) >> 7 % milliseconds) / 1_000
    }

    /// A position that does not depend on the name's order.
    func order(of name: String) -> UInt64 {
        name.utf8.reduce(salt ^ 0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
    }
}
