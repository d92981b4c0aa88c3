import Foundation
@_spi(Tooling) import TelemetryTestKit
import Testing

@testable import TelemetryPersistence

struct InstanceDirectoryTests {
    private func place(
        in root: URL, store: String? = "file:/a", instance: String? = nil, isClaimed: Bool = true
    ) -> InstanceDirectory {
        let place = InstanceDirectory(in: root, store: store, instance: instance)
        if isClaimed { place.claim() }
        return place
    }

    @Test("Instances that run at the same time have different directories, and the same set of them after a restart")
    func restart() async throws {
        try await withTemporaryDirectory(isCreated: true) { root in
            let first = (0..<10).map { _ in place(in: root) }
            #expect(Set(first.map(\.url)).count == 10)
            for place in first { place.release() }
            let second = (0..<10).map { _ in place(in: root) }
            #expect(Set(second.map(\.url)) == Set(first.map(\.url)))
            #expect(!first.map(\.url).contains(place(in: root).url))
        }
    }

    @Test("The directory that was created first is taken first")
    func order() async throws {
        try await withTemporaryDirectory(isCreated: true) { root in
            let stores = root.appending(path: "stores/file.3a.2fa")
            try FileManager.default.createDirectory(at: stores, withIntermediateDirectories: true)
            for name in ["instance.0000000003e9.b", "instance.0000000003e8.z", "instance.000000000fff.a"] {
                try Data().write(to: stores.appending(path: "\(name).lock"))
            }
            let taken = (0..<3).map { _ in place(in: root) }
            #expect(
                taken.map(\.url.lastPathComponent) == [
                    "instance.0000000003e8.z", "instance.0000000003e9.b", "instance.000000000fff.a",
                ])
        }
    }

    @Test("The directory of a killed process is free")
    func killed() async throws {
        try await withTemporaryDirectory(isCreated: true) { root in
            let url = { place(in: root).url }()
            #expect(place(in: root).url == url)
        }
    }

    @Test("Nothing is written before the directory is claimed, and two instances that start together get different ones")
    func fresh() async throws {
        try await withTemporaryDirectory(isCreated: true) { root in
            let places = [place(in: root, isClaimed: false), place(in: root, isClaimed: false)]
            #expect(try FileManager.default.contentsOfDirectory(atPath: root.path).isEmpty)
            for place in places { place.claim() }
            #expect(places[0].url != places[1].url)
            let names = try FileManager.default.contentsOfDirectory(atPath: places[0].url.deletingLastPathComponent().path)
            #expect(names.sorted() == places.map { "\($0.url.lastPathComponent).lock" }.sorted())
        }
    }

    @Test("Each store has its own directories, and its identifier is encoded in their path")
    func stores() async throws {
        try await withTemporaryDirectory(isCreated: true) { root in
            let places = ["file:/a", "file:/b", "https://relay.example", "../../etc", nil].map { place(in: root, store: $0) }
            #expect(Set(places.map(\.url)).count == 5)
            for place in places {
                #expect(
                    place.url.deletingLastPathComponent().deletingLastPathComponent().path
                        == root.appending(path: "stores").path)
            }
        }
    }

    @Test("All instances with a name share its directory, and no other instance gets it")
    func named() async throws {
        try await withTemporaryDirectory(isCreated: true) { root in
            let places = ["web/1", "web/1", "Web/1", nil].map { place(in: root, instance: $0) }
            #expect(places[0].url == places[1].url)
            #expect(Set(places.map(\.url)).count == 3)
            #expect(Set(places.map { $0.url.deletingLastPathComponent() }).count == 1)
        }
    }

    @Test("A root that is not writable still gives a directory")
    func unwritable() async throws {
        try await withTemporaryDirectory(isCreated: true) { root in
            let file = root.appending(path: "file")
            try Data().write(to: file)
            let place = place(in: file)
            #expect(place.url.path.hasPrefix(file.path))
            place.release()
        }
    }
}
