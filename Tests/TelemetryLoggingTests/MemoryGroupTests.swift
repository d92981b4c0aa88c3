import Foundation
import TelemetrySystem
@_spi(Tooling) import TelemetryTestKit
import Testing

@testable import TelemetryLogging

struct MemoryGroupTests {
    private static let mounts = """
        31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755
        34 31 0:31 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu
        35 31 0:32 / /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory
        41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
        """

    @Test(
        "The group that accounts for memory is found where it is mounted",
        arguments: [
            // Version 2 alone.
            (
                "0::/user.slice/a.scope\n", "35 24 0:30 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw",
                "/sys/fs/cgroup/user.slice/a.scope"
            ),
            // A container with a namespace of groups.
            ("0::/\n", "35 24 0:30 / /sys/fs/cgroup ro - cgroup2 cgroup rw", "/sys/fs/cgroup/"),
            // A container without one, in which a part is mounted.
            (
                "4:memory:/docker/1f\n0::/\n", "35 24 0:30 /docker/1f /sys/fs/cgroup/memory ro - cgroup c rw,memory",
                "/sys/fs/cgroup/memory"
            ),
            // Both versions, with memory in the first.
            ("5:cpu:/a\n4:memory:/b:c\n0::/d\n", mounts, "/sys/fs/cgroup/memory/b:c"),
            ("5:cpu:/a\n0::/d\n", mounts, "/sys/fs/cgroup/unified/d"),
            // Another part is mounted.
            ("0::/docker/12\n", "35 24 0:30 /docker/1 /sys/fs/cgroup ro - cgroup2 cgroup rw", nil),
            ("0::/a\n", "", nil), ("", mounts, nil), ("0\n:\n", mounts, nil), ("0::/a\n", "1 2 3 4 5 6 - cgroup2", nil),
        ] as [(String, String, String?)])
    func directory(groups: String, mounts: String, directory: String?) {
        let group = MemoryGroup(groups: groups, mounts: mounts)
        #expect(group?.directory == directory)
        #expect(group == nil || (group?.version == .one) == groups.contains("memory"))
    }

    @Test(
        "A number is read by its name",
        arguments: [("oom 1\noom_kill 23\n", 23), ("oom_kill -1\n", nil), ("oom_kill_x 1", nil), ("", nil)])
    func number(text: String, number: UInt64?) { #expect(OutOfMemoryKills.number(of: "oom_kill", in: text) == number) }

    @Test(
        "Kills are counted, and mean the process if it is the only one of its group, or all are killed at once",
        arguments: [
            (["memory.oom_control": "under_oom 0\noom_kill 2\n", "cgroup.procs": "77\n"], "4:memory:/g\n", (2, true)),
            (["memory.oom_control": "under_oom 0\noom_kill 2\n", "cgroup.procs": "77\n78\n"], "4:memory:/g\n", (2, false)),
            // An old kernel.
            (["memory.oom_control": "under_oom 0\n", "cgroup.procs": "77\n"], "4:memory:/g\n", nil),
            (
                ["memory.events": "oom 3\noom_kill 4\n", "cgroup.procs": "77\n", "cgroup.stat": "nr_descendants 0\n"], "0::/g\n",
                (4, true)
            ),
            (
                ["memory.events": "oom 3\noom_kill 4\n", "cgroup.procs": "77\n", "cgroup.stat": "nr_descendants 1\n"], "0::/g\n",
                (4, false)
            ),
            (["memory.events": "oom_kill 4\n", "cgroup.procs": "1\n77\n", "memory.oom.group": "1\n"], "0::/g\n", (4, true)),
            (["memory.events": "oom_kill 4\n", "cgroup.procs": "1\n77\n", "memory.oom.group": "0\n"], "0::/g\n", (4, false)),
            ([:], "0::/g\n", nil),
        ] as [([String: String], String, (UInt64, Bool)?)])
    func kills(files: [String: String], groups: String, expected: (count: UInt64, endsProcess: Bool)?) throws {
        let directory = TemporaryDirectory()
        let group = directory.url.appending(path: "g")
        try FileManager.default.createDirectory(at: group, withIntermediateDirectories: true)
        for (name, text) in files { try Data(text.utf8).write(to: group.appending(path: name)) }
        let mounts = """
            1 2 0:3 / \(directory.url.path) rw - cgroup cgroup rw,memory
            1 2 0:4 / \(directory.url.path) rw - cgroup2 cgroup2 rw
            """
        try Data(groups.utf8).write(to: directory.url.appending(path: "cgroup"))
        try Data(mounts.utf8).write(to: directory.url.appending(path: "mountinfo"))
        let kills = OutOfMemoryKills.read(process: directory.url.path, number: 77)
        #expect(kills?.count == expected?.count && kills?.endsProcess == expected?.endsProcess)
        let status = try FileSystem().status(group.path)
        #expect(kills == nil || kills?.inode == status?.inode)
        #expect(OutOfMemoryKills.read(process: directory.url.path + "/missing", number: 77) == nil)
    }
}
