import Foundation

/// What the schema allows whom.
extension FakeCloudKitServer.State {
    /// Roles add up: a record's creator also has what everybody signed in has. They are the public database's; a private one
    /// is all its owner's.
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

    /// - Throws: a fault where production does not know the type or the field, or the field is of another type.
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

    /// - Throws: a fault where the query needs an index that the schema does not have.
    func admit(_ query: ServerQuery, _ conditions: [ServerQuery.Condition]) throws {
        guard let type = schema?.types[query.type] else { return }
        for condition in conditions {
            let field = type.fields[condition.schemaField]
            // One index looks up what is equal, another one what is more or less.
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
