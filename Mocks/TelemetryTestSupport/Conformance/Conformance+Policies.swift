import TelemetryModels
import TelemetryTransport

extension TelemetryTransportConformance {
    static let policyChecks = [
        Check(".insert stores new records and refuses existing ones") { bench in
            let stored = try await save(Sample.record("a", ["n": 1]), .insert, bench)
            for record in [Sample.record("a", ["n": 2]), stored] {
                let error = try await bench.expectError(.conflict, "inserting it again") {
                    _ = try await bench.transport.save([record], policy: .insert)
                }
                try bench.expect("the error's serverRecord", error.serverRecord, is: stored)
            }
            try await bench.expect("the stored record", bench.transport.record(withID: "a"), is: stored)
        },

        Check(".overwrite replaces any version, with a new change tag") { bench in
            let first = try await save(Sample.record("a", ["n": 1, "gone": true]), .overwrite, bench)
            let second = try await save(Sample.record("a", ["n": 2]), .overwrite, bench)
            try bench.expect("the fields", second.fields, is: ["n": 2])
            try bench.expect("the change tag changed", first.changeTag != second.changeTag, is: true)
            var outdated = first
            outdated["n"] = 3
            let third = try await save(outdated, .overwrite, bench)
            try await bench.expect("the stored record", bench.transport.record(withID: "a"), is: third)
            try await bench.transport.deleteRecords(withIDs: ["a"])
            try await bench.expect("over nothing", save(third, .overwrite, bench).fields, is: third.fields)
        },

        Check(".ifUnchanged without a change tag stores only a new record") { bench in
            let stored = try await save(Sample.record("a", ["n": 1]), .ifUnchanged, bench)
            let error = try await bench.expectError(.conflict, "saving it again without a tag") {
                _ = try await bench.transport.save([Sample.record("a", ["n": 2])], policy: .ifUnchanged)
            }
            try bench.expect("the error's serverRecord", error.serverRecord, is: stored)
            try await bench.expect("the stored record", bench.transport.record(withID: "a"), is: stored)
        },

        Check(".ifUnchanged replaces only the version that was read") { bench in
            let first = try await save(Sample.record("a", ["n": 1]), .insert, bench)
            var change = first
            change["n"] = 2
            let second = try await save(change, .ifUnchanged, bench)
            try bench.expect("the change tag changed", first.changeTag != second.changeTag, is: true)
            change["n"] = 3
            let error = try await bench.expectError(.conflict, "saving over a version that was replaced") {
                _ = try await bench.transport.save([change], policy: .ifUnchanged)
            }
            try bench.expect("the error's serverRecord", error.serverRecord, is: second)
            try await bench.expect("the stored record", bench.transport.record(withID: "a"), is: second)
        },

        Check(".ifUnchanged with the change tag of a deleted record throws .notFound") { bench in
            let stored = try await save(Sample.record("a", ["n": 1]), .insert, bench)
            try await bench.transport.deleteRecords(withIDs: ["a"])
            try await bench.expectError(.notFound, "saving a record that was deleted") {
                _ = try await bench.transport.save([stored], policy: .ifUnchanged)
            }
            try await bench.expect("the stored record", bench.transport.record(withID: "a"), is: nil)
            let again = try await save(Sample.record("a", ["n": 2]), .insert, bench)
            try await bench.expectError(.conflict, "saving the deleted version over a new one") {
                _ = try await bench.transport.save([stored], policy: .ifUnchanged)
            }
            try await bench.expect("the stored record", bench.transport.record(withID: "a"), is: again)
        },

        Check("If some of several saves fail, the others are stored and .partialFailure has each failure") { bench in
            let there = try await save(Sample.record("there", ["n": 1]), .insert, bench)
            var gone = try await save(Sample.record("gone"), .insert, bench)
            try await bench.transport.deleteRecords(withIDs: ["gone"])
            gone["n"] = 2

            let inserting = try await bench.expectError(.partialFailure, "inserting, of which one is there") {
                _ = try await bench.transport.save(
                    [Sample.record("new"), Sample.record("there", ["n": 9]), Sample.record("newer")], policy: .insert)
            }
            try bench.expect("failures", Set(inserting.failures.keys), is: ["there"])
            try bench.expect("its code", inserting.failures["there"]?.code, is: .conflict)
            try bench.expect("its serverRecord", inserting.failures["there"]?.serverRecord, is: there)
            for id in ["new", "newer"] as [TelemetryRecord.ID] {
                try await bench.expect("\(id) is stored", bench.transport.record(withID: id) != nil, is: true)
            }

            var change = there
            change["n"] = 2
            let updating = try await bench.expectError(.partialFailure, "updating, of which two fail") {
                _ = try await bench.transport.save([gone, change, Sample.record("new")], policy: .ifUnchanged)
            }
            try bench.expect("failures", Set(updating.failures.keys), is: ["gone", "new"])
            try bench.expect("code of the one that is gone", updating.failures["gone"]?.code, is: .notFound)
            try bench.expect("code of the one that is there", updating.failures["new"]?.code, is: .conflict)
            try await bench.expect("the one that was saved", bench.transport.record(withID: "there")?["n"], is: 2)
        },

        Check("If all of several saves fail, .partialFailure has each failure; a single failure is thrown itself") { bench in
            _ = try await bench.transport.save([Sample.record("a"), Sample.record("b")], policy: .insert)
            let error = try await bench.expectError(.partialFailure, "inserting two that are there") {
                _ = try await bench.transport.save([Sample.record("a"), Sample.record("b")], policy: .insert)
            }
            try bench.expect("failures", error.failures.mapValues(\.code), is: ["a": .conflict, "b": .conflict])
            try await bench.expectError(.conflict, "inserting one that is there") {
                _ = try await bench.transport.save([Sample.record("a")], policy: .insert)
            }
        },

        .acrossConnections("A version that another connection has replaced is not overwritten") { bench, other in
            let first = try await save(Sample.record("a", ["n": 1]), .insert, bench)
            var (mine, theirs) = (first, first)
            mine["n"] = 2
            theirs["n"] = 3
            let second = try await other.save([theirs], policy: .ifUnchanged).first
            let error = try await bench.expectError(.conflict, "saving what the other connection has replaced") {
                _ = try await bench.transport.save([mine], policy: .ifUnchanged)
            }
            try bench.expect("the error's serverRecord", error.serverRecord, is: second)
            try await bench.expect("the stored record", bench.transport.record(withID: "a"), is: second)
            try await bench.expectError(.conflict, "inserting over what the other connection has stored") {
                _ = try await bench.transport.save([Sample.record("a")], policy: .insert)
            }
        },
    ]

    private static func save(
        _ record: TelemetryRecord, _ policy: TelemetrySavePolicy, _ bench: Bench
    ) async throws -> TelemetryRecord {
        let saved = try await bench.transport.save([record], policy: policy)
        try bench.expect("how many records were returned", saved.count, is: 1)
        try bench.expect("the returned record's fields", saved[0].fields, is: record.fields)
        try await bench.expect("the stored record", bench.transport.record(withID: record.recordID), is: saved[0])
        return saved[0]
    }
}
