/// The mounted file systems, as the kernel lists them in `/proc/self/mountinfo`.
package struct MountTable {
    /// Types of file systems that only this kernel changes. It can report every change in them, unlike those that another machine,
    /// a host of this virtual machine or another process changes.
    private static let localTypes: Set<String> = [
        "ext2", "ext3", "ext4", "xfs", "btrfs", "f2fs", "zfs", "bcachefs", "tmpfs", "overlay",
    ]

    private var types: [String: String] = [:]

    package init(_ text: String) {
        for line in text.split(separator: "\n") {
            // A mount's number, its parent's, the device, two paths, options, any number of fields, a hyphen, and the type.
            let words = line.split(separator: " ")
            guard words.count > 8, let hyphen = words[6...].firstIndex(of: "-"), hyphen + 1 < words.count else { continue }
            types[String(words[2])] = String(words[hyphen + 1])
        }
    }

    /// Reads the table; empty on systems without it.
    package init(_ system: FileSystem) {
        let file = try? system.open("/proc/self/mountinfo", for: .read)
        self.init(String(decoding: (try? file?.read(at: 0, count: 1 << 20)) ?? [], as: UTF8.self))
    }

    /// Whether the file system with a device number is listed, and only this kernel changes it.
    package func isLocal(device: UInt64) -> Bool {
        let major = device >> 8 & 0xfff | device >> 32 & 0xffff_f000
        let minor = device & 0xff | device >> 12 & 0xffff_ff00
        return types["\(major):\(minor)"].map(Self.localTypes.contains) ?? false
    }
}
