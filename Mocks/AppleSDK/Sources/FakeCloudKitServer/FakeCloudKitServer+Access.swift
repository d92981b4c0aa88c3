import Foundation

/// The permissions of the schema.
extension FakeCloudKitServer.State {
    /// Roles add up: a record's creator also has the permissions of all signed-in users. Roles apply to the public database; the
    /// owner of a private database has all permissions.
    func may(
        _ permission: ServerSchema.Permission, _ caller: FakeCloudKitServer.Caller, type: String, creator: String?,
        in database: String
    ) -> Bool {
        guard database == "public", let grants = schema?.types[type]?.grants else { return true }
        var held: Set<String> = ["_world"]
        if let user = caller.user {
            held.insert("_icloud")
            held.formUnion(roles[user] ?? [])
            if creator == user { held.insert("_creator") }
        }
        return held.contains { grants[$0]?.contains(permission) ?? false }
    }

    /// - Throws: A fault if the type or the field is not in the production schema, or the field has another type.
    mutating func admit(_ record: ServerRecord) throws {
        guard var schema else { return }
        if options.isDevelopment {
            schema.useType(record.type)
            for (field, value) in record.fields { schema.useField(field, holding: value, in: record.type) }
            self.schema = schema
        }
        guard let type = schema.types[record.type] else {
            throw ServerFault(
                code: FaultCode.invalidArguments, message: "Cannot create new type \(record.type) in production schema.")
        }
        for (field, value) in record.fields where type.fields[field]?.type != value.schemaType {
            throw ServerFault(
                code: FaultCode.invalidArguments, message: "The field \(record.type).\(field) does not take \(value.schemaType).")
        }
    }

    /// - Throws: A fault if the query has too many values, or needs an index that the schema lacks.
    func admit(_ query: ServerQuery, _ conditions: [ServerQuery.Condition]) throws {
        let values = conditions.reduce(0) { if case .values(let values) = $1.argument { $0 + values.count } else { $0 + 1 } }
        guard values <= options.maximumQueryValues else {
            throw ServerFault(code: FaultCode.limitExceeded, message: "Query filter exceeds the limit of values.")
        }
        guard let type = schema?.types[query.type] else { return }
        for condition in conditions {
            let field = type.fields[condition.schemaField]
            // Equality and ranges have different indexes.
            let isIndexed = (condition.isRange ? field?.isSortable : field?.isQueryable) ?? false
            guard !isIndexed else { continue }
            throw ServerFault(
                code: FaultCode.invalidArguments,
                message: "Field \(condition.field) is not marked \(condition.isRange ? "sortable" : "queryable").")
        }
        if conditions.isEmpty, !(type.fields["___recordID"]?.isQueryable ?? false) {
            throw ServerFault(code: FaultCode.invalidArguments, message: "Field recordName is not marked queryable.")
        }
        if query.ascendingByCreation != nil, !(type.fields["___createTime"]?.isSortable ?? false) {
            throw ServerFault(code: FaultCode.invalidArguments, message: "Field createdTimestamp is not marked sortable.")
        }
    }
}
