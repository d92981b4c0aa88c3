import TelemetryCloudKit
import TelemetryModels
import Testing

struct CloudKitBatchPlanTests {
    private func sizes(_ items: [(id: Int, bytes: Int)]) -> [Int] {
        CloudKitBatchPlan.batches(of: items, identity: \.id, bytes: \.bytes).map(\.count)
    }

    @Test(
        "A batch holds at most 400 items, and no item is lost",
        arguments: [(0, []), (1, [1]), (400, [400]), (401, [400, 1]), (1_000, [400, 400, 200])] as [(Int, [Int])])
    func count(items: Int, expected: [Int]) {
        #expect(sizes((0..<items).map { ($0, 1) }) == expected)
    }

    @Test("A batch stays within the size limit; an item above the limit gets a batch of its own")
    func bytes() {
        let large = CloudKitBatchPlan.maximumBytes
        #expect(sizes([(1, large / 2), (2, large / 2), (3, 1)]) == [2, 1])
        #expect(sizes([(1, 10), (2, large * 2), (3, 10)]) == [1, 1, 1])
    }

    @Test("A batch holds each identity at most once, and the order is kept")
    func duplicates() {
        let batches = CloudKitBatchPlan.batches(of: ["a", "b", "a", "a", "c"], identity: \.self) { _ in 1 }
        #expect(batches == [["a", "b"], ["a"], ["a", "c"]])
    }

    @Test("A record's estimated size includes its strings")
    func estimate() {
        var record = TelemetryRecord(recordType: "Thing", recordID: "r")
        let empty = CloudKitBatchPlan.estimatedBytes(of: record)
        record["text"] = .string(String(repeating: "é", count: 1_000))
        #expect(CloudKitBatchPlan.estimatedBytes(of: record) >= empty + 2_000)
    }
}
