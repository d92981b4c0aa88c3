import TelemetrySystem

/// The control group of a process that accounts for its memory, see cgroups(7).
struct MemoryGroup: Equatable {
    enum Version {
        case one, two
    }

    let directory: String
    let version: Version

    /// Nil if the group is not mounted.
    /// - Parameters:
    ///   - groups: The content of `/proc/self/cgroup`.
    ///   - mounts: The content of `/proc/self/mountinfo`.
    init?(groups: String, mounts: String) {
        // A hierarchy's number, its controllers, and the path of the group in it.
        let hierarchies = groups.split(separator: "\n").map {
            $0.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        }.filter { $0.count == 3 }
        let first = hierarchies.first { $0[1].split(separator: ",").contains("memory") }
        guard let hierarchy = first ?? hierarchies.first(where: { $0[1].isEmpty }) else { return nil }
        version = first == nil ? .two : .one
        let directories = mounts.split(separator: "\n").compactMap { [version] in
            Self.directory(of: hierarchy[2], version, mount: $0)
        }
        guard let directory = directories.first else { return nil }
        self.directory = directory
    }

    private static func directory(of path: Substring, _ version: Version, mount: Substring) -> String? {
        // A mount's number, its parent's, the device, two paths, options, any number of fields, a hyphen, the type, the source, and
        // the options of the file system.
        let words = mount.split(separator: " ")
        guard words.count > 9, let hyphen = words[6...].firstIndex(of: "-"), hyphen + 3 < words.count else { return nil }
        switch version {
        case .one:
            guard words[hyphen + 1] == "cgroup", words[hyphen + 3].split(separator: ",").contains("memory") else { return nil }
        case .two: guard words[hyphen + 1] == "cgroup2" else { return nil }
        }
        // In a container, only a part of the hierarchy may be mounted.
        let root = words[3] == "/" ? "" : words[3]
        guard path == root || path.hasPrefix(root + "/") else { return nil }
        return String(words[4] + path.dropFirst(root.count))
    }
}

/// How often the system killed a process of a control group because memory ran out, as Linux counts it.
struct OutOfMemoryKills: Sendable, Equatable {
    /// The group's directory. No other group has the same numbers until the system is started anew.
    let device: UInt64
    let inode: UInt64
    let count: UInt64
    /// Whether a kill in the group must end the process: no other process is in the group, or the system kills all of its processes at once.
    let endsProcess: Bool

    /// Nil if the system does not count them, as on Apple's systems.
    /// - Parameters:
    ///   - process: The directory with the process's files.
    ///   - number: The process's number.
    static func read(
        process: String = "/proc/self", number: Int32 = ProcessIdentity.current.number, system: FileSystem = FileSystem()
    ) -> Self? {
        func text(_ path: String) -> String? {
            guard let bytes = try? system.open(path, for: .read).read(at: 0, count: 1 << 18) else { return nil }
            return String(decoding: bytes, as: UTF8.self)
        }
        guard let groups = text("\(process)/cgroup"), let mounts = text("\(process)/mountinfo"),
            let group = MemoryGroup(groups: groups, mounts: mounts), let status = try? system.status(group.directory)
        else { return nil }
        let isOnly = text("\(group.directory)/cgroup.procs") == "\(number)\n"
        let counts: String?
        let endsProcess: Bool
        switch group.version {
        case .one:
            counts = text("\(group.directory)/memory.oom_control")
            endsProcess = isOnly
        case .two:
            counts = text("\(group.directory)/memory.events")
            let isGroupKilled = text("\(group.directory)/memory.oom.group") == "1\n"
            // Processes of inner groups may count here.
            let inner = text("\(group.directory)/cgroup.stat").flatMap { Self.number(of: "nr_descendants", in: $0) }
            endsProcess = isGroupKilled || isOnly && inner == 0
        }
        guard let count = counts.flatMap({ Self.number(of: "oom_kill", in: $0) }) else { return nil }
        return Self(device: status.device, inode: status.inode, count: count, endsProcess: endsProcess)
    }

    /// The value in a text with lines of a name and a number each.
    static func number(of name: String, in text: String) -> UInt64? {
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.count == 2, words[0] == name { return UInt64(words[1]) }
        }
        return nil
    }

    /// The number of processes that were killed in the group since an earlier time; nil if that one is of another group.
    func kills(since earlier: Self) -> UInt64? {
        guard device == earlier.device, inode == earlier.inode, count >= earlier.count else { return nil }
        return count - earlier.count
    }
}
