import TelemetryModels
import TelemetryTransport

extension TelemetryTransportConformance {
    static let subscriptionChecks = [
        Check("Subscriptions are stored, replaced, read and removed") { bench in
            let transport = bench.transport
            let subscription = TelemetrySubscription(id: "s/☃", recordType: "Thing", clientId: "c")
            try await bench.expect("not there yet", transport.subscription(withID: "s/☃"), is: nil)
            try await bench.expect("the identifier", transport.save(subscription), is: "s/☃")
            try await bench.expect("stored", transport.subscription(withID: "s/☃"), is: subscription)
            let other = TelemetrySubscription(id: "s/☃", recordType: "Other")
            try await bench.expect("the identifier", transport.save(other), is: "s/☃")
            try await bench.expect("replaced", transport.subscription(withID: "s/☃"), is: other)
            try await transport.deleteSubscription(withID: "s/☃")
            try await transport.deleteSubscription(withID: "s/☃")
            try await bench.expect("removed", transport.subscription(withID: "s/☃"), is: nil)
        },

        Check("The operations' subscriptions have the documented names") { bench in
            let transport = bench.transport
            for _ in 0..<2 {
                try await bench.expect("scenarios", transport.createScenarioSubscription(), is: "TelemetryScenario-All")
                try await bench.expect("rules", transport.createRuleSubscription(), is: "TelemetryRule-All")
                try await bench.expect("clients", transport.createClientRecordSubscription(), is: "TelemetryClient-All")
                try await bench.expect(
                    "commands", transport.createCommandSubscription(for: "c/é"), is: "TelemetryCommand-c/é")
            }
            try await bench.expect(
                "the commands'", transport.subscription(withID: "TelemetryCommand-c/é"),
                is: TelemetrySubscription(id: "TelemetryCommand-c/é", recordType: "TelemetryCommand", clientId: "c/é"))
            try await bench.expect("found", transport.fetchCommandSubscription(for: "c/é"), is: "TelemetryCommand-c/é")
            try await bench.expect("of another client", transport.fetchCommandSubscription(for: "d"), is: nil)
            try await bench.expect(
                "found", transport.fetchSubscription(id: "TelemetryScenario-All"), is: "TelemetryScenario-All")
            try await transport.removeCommandSubscription("TelemetryCommand-c/é")
            try await transport.removeSubscription("TelemetryScenario-All")
            try await bench.expect("removed", transport.fetchCommandSubscription(for: "c/é"), is: nil)
            try await bench.expect("removed", transport.fetchSubscription(id: "TelemetryScenario-All"), is: nil)
        },

        Check("Creating, changing and deleting a record notifies its subscribers") { bench in
            try await expectNotifications(bench, changesBy: bench.transport)
        },

        .acrossConnections("Changes by another connection are notified") { bench, other in
            try await expectNotifications(bench, changesBy: other)
        },

        .acrossConnections("A subscription that another connection saved causes notifications") { bench, other in
            let received = Recorder(bench.transport.notifications())
            _ = try await other.save(TelemetrySubscription(id: "s", recordType: "Thing"))
            _ = try await other.save([Sample.record("a")], policy: .insert)
            try await bench.expectNotification("s", of: "a", received)
        },

        Check("Changes outside a subscription are not notified") { bench in
            let transport = bench.transport
            _ = try await transport.save(TelemetrySubscription(id: "s", recordType: "Thing", clientId: "c"))
            let received = Recorder(transport.notifications())
            _ = try await transport.save(
                [
                    Sample.record("other type", type: "Other", ["clientid": "c"]),
                    Sample.record("other client", ["clientid": "d"]), Sample.record("no client"),
                    Sample.record("other case", ["clientid": "C"]),
                ], policy: .insert)
            _ = try await transport.save([Sample.record("covered", ["clientid": "c"])], policy: .insert)
            let first = try await bench.within("a notification") { try await received.element(0) }
            try bench.expect("the first notification's record", first.recordID ?? "covered", is: "covered")
            try bench.expect("its type", first.recordType ?? "Thing", is: "Thing")
        },

        Check("A removed subscription causes no notifications") { bench in
            let transport = bench.transport
            _ = try await transport.save(TelemetrySubscription(id: "old", recordType: "Thing"))
            let received = Recorder(transport.notifications())
            try await transport.deleteSubscription(withID: "old")
            _ = try await transport.save([Sample.record("a")], policy: .insert)
            _ = try await transport.save(TelemetrySubscription(id: "new", recordType: "Thing"))
            _ = try await transport.save([Sample.record("b")], policy: .insert)
            let first = try await bench.within("a notification") { try await received.element(0) }
            try bench.expect("the first notification's subscription", first.subscriptionID ?? "new", is: "new")
        },

        Check("Every notification stream gets every notification") { bench in
            let transport = bench.transport
            _ = try await transport.save(TelemetrySubscription(id: "s", recordType: "Thing"))
            let all = [Recorder(transport.notifications()), Recorder(transport.notifications())]
            for index in 0..<50 {
                _ = try await transport.save([Sample.record(.init(recordName: "r\(index)"))], policy: .insert)
            }
            // Notifications may be merged: only one of the last change is certain.
            for received in all { try await bench.expectNotification("s", of: "r49", received) }
        },
    ]

    private static func expectNotifications(_ bench: Bench, changesBy changer: any TelemetryTransporting) async throws {
        _ = try await bench.transport.save(TelemetrySubscription(id: "s", recordType: "Thing"))
        let received = Recorder(bench.transport.notifications())
        var saved = try await changer.save([Sample.record("a")], policy: .insert)
        try await bench.expectNotification("s", of: "a", received)
        let beforeChange = received.count
        saved[0]["n"] = 1
        _ = try await changer.save(saved, policy: .ifUnchanged)
        try await bench.expectNotification("s", of: "a", received, from: beforeChange)
        let beforeDeletion = received.count
        try await changer.deleteRecords(withIDs: ["a"])
        try await bench.expectNotification("s", of: "a", received, from: beforeDeletion)
    }
}

extension Bench {
    /// Waits for a notification of the record; a merged one may lack its name.
    fileprivate func expectNotification(
        _ subscription: String, of id: TelemetryRecord.ID, _ received: Recorder<TelemetryNotification>, from index: Int = 0
    ) async throws {
        let notification = try await within("a notification of \(id)") {
            try await received.first(from: index) { $0.recordID == nil || $0.recordID == id }
        }
        try expect("the notification's subscription", notification.subscriptionID ?? subscription, is: subscription)
        try expect("the notification's record type", notification.recordType ?? "Thing", is: "Thing")
    }
}
