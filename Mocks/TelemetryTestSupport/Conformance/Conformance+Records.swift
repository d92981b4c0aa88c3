import Foundation
import TelemetryModels
import TelemetryTransport

extension TelemetryTransportConformance {
    static let recordChecks = [
        Check("A record is read back with all its fields and a change tag") { bench in
            let text = "\u{0}\n\"\\/ déjà 👩‍👩‍👧 \u{2028}\u{10ffff}"
            let record = Sample.record(
                "thing",
                [
                    "text": .string(text), "empty": "", "whole": .int(.max), "flag": true, "one": 1,
                    "date": .date(TelemetryFixtures.date.addingTimeInterval(0.123)), "fraction": 0.1, "double": .double(2),
                    "key \(text)": false,
                ])
            let saved = try await bench.require(
                bench.transport.save([record], policy: .insert).first, "Saving one record returned none.")
            try bench.expect("the returned record has a change tag", saved.changeTag != nil, is: true)
            var expected = record
            expected.changeTag = saved.changeTag
            try bench.expect("the returned record", saved, is: expected)
            try await bench.expect("the stored record", bench.transport.record(withID: "thing"), is: expected)
            try await bench.expect("one that is not there", bench.transport.record(withID: "other"), is: nil)
        },

        Check("Saved records are returned in the given order; an empty save does nothing") { bench in
            let records = ["c", "a", "b"].map { Sample.record(TelemetryRecord.ID(recordName: $0)) }
            let saved = try await bench.transport.save(records, policy: .insert)
            try bench.expect("saved", saved.map(\.recordID.recordName), is: ["c", "a", "b"])
            try bench.expect("with change tags", saved.allSatisfy { $0.changeTag != nil }, is: true)
            for policy in [TelemetrySavePolicy.insert, .ifUnchanged, .overwrite] {
                try await bench.expect("saving none", bench.transport.save([], policy: policy), is: [])
            }
        },

        Check("Deleting records returns the number of existing ones, and ignores missing ones") { bench in
            _ = try await bench.transport.save(["a", "b", "c"].map { Sample.record($0) }, policy: .insert)
            try await bench.expect("deleted", bench.transport.deleteRecords(withIDs: ["a", "x", "b"]), is: 2)
            try await bench.expect("deleted again", bench.transport.deleteRecords(withIDs: ["a", "b"]), is: 0)
            try await bench.expect("deleting none", bench.transport.deleteRecords(withIDs: []), is: 0)
            try await bench.expect("deleted, named twice", bench.transport.deleteRecords(withIDs: ["c", "c"]), is: 1)
            try await bench.expect("left", bench.transport.records(matching: .init(recordType: "Thing")), is: [])
            try await bench.expect(
                "inserted again", bench.transport.save([Sample.record("a")], policy: .insert).count, is: 1)
        },

        Check("A query returns the records of its type that fulfil all conditions") { bench in
            let date = TelemetryFixtures.date
            _ = try await bench.transport.save(
                [
                    Sample.record("a", ["name": "caf\u{e9}", "flag": true, "date": .date(date), "number": 1, "share": 0.5]),
                    Sample.record("b", ["name": "cafe\u{301}", "flag": 1, "number": 2]),
                    Sample.record("c", ["name": "CAF\u{c9}", "flag": false, "number": 1]),
                    Sample.record("d", type: "Other", ["name": "caf\u{e9}", "flag": true, "number": 1]),
                ], policy: .insert)
            let queries: [(conditions: [String: TelemetryValue], matches: [String])] = [
                ([:], ["a", "b", "c"]),
                (["name": "caf\u{e9}"], ["a", "b"]),
                (["name": "cafe\u{301}"], ["a", "b"]),
                (["flag": true], ["a", "b"]),
                (["flag": 1], ["a", "b"]),
                (["flag": 0], ["c"]),
                (["date": .date(date)], ["a"]),
                (["share": 0.5], ["a"]),
                (["number": 1, "flag": true], ["a"]),
                (["number": "1"], []),
                (["missing": 1], []),
            ]
            for (conditions, matches) in queries {
                let found = try await bench.transport.records(
                    matching: TelemetryRecordQuery(recordType: "Thing", conditions: conditions))
                try bench.expect("\(conditions)", found.map(\.recordID.recordName).sorted(), is: matches)
            }
            try await bench.expect("another type", bench.transport.records(matching: .init(recordType: "None")), is: [])
        },

        Check("A query sorts by its field in both directions; records without the field come last") { bench in
            let date = TelemetryFixtures.date
            _ = try await bench.transport.save(
                [
                    Sample.record("1", ["n": 10, "t": "b", "d": .date(date.addingTimeInterval(2))]),
                    Sample.record("2", ["n": 9, "t": "a", "d": .date(date)]),
                    Sample.record("3", ["n": 11, "t": "c", "d": .date(date.addingTimeInterval(1))]),
                    Sample.record("4"),
                ], policy: .insert)
            for (field, ascending, expected) in [
                ("n", true, ["2", "1", "3", "4"]), ("n", false, ["3", "1", "2", "4"]),
                ("t", true, ["2", "1", "3", "4"]), ("t", false, ["3", "1", "2", "4"]),
                ("d", true, ["2", "3", "1", "4"]), ("d", false, ["1", "3", "2", "4"]),
            ] {
                let found = try await bench.transport.records(
                    matching: TelemetryRecordQuery(recordType: "Thing", sortField: field, ascending: ascending))
                try bench.expect(
                    "by \(field), ascending: \(ascending)", found.map(\.recordID.recordName), is: expected)
            }
        },

        .acrossConnections("Saves and deletions are visible over another connection at once") { bench, other in
            let saved = try await bench.transport.save([Sample.record("a", ["n": 1])], policy: .insert)
            try await bench.expect("there", other.record(withID: "a"), is: saved.first)
            try await bench.expect("found there", other.records(matching: .init(recordType: "Thing")), is: saved)
            try await bench.expect("deleted there", other.deleteRecords(withIDs: ["a"]), is: 1)
            try await bench.expect("here", bench.transport.record(withID: "a"), is: nil)
            try await bench.expect("found here", bench.transport.records(matching: .init(recordType: "Thing")), is: [])
        },

        Check("The schema is valid, and the debug information names the store") { bench in
            try await bench.transport.append(Sample.events(1...3))
            try await bench.expect("validateSchema()", bench.transport.validateSchema(), is: true)
            let info = await bench.transport.debugInfo()
            try bench.expect("containerID is not empty", !info.containerID.isEmpty, is: true)
            try bench.expect("errorMessage", info.errorMessage, is: nil)
            try bench.expect("recordCount, where it is known", info.recordCount ?? 3, is: 3)
            try await bench.expect(
                "debugDatabaseInfo() names it", bench.transport.debugDatabaseInfo().contains(info.containerID), is: true)
        },
    ]
}
