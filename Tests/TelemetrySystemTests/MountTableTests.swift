import TelemetrySystem
import Testing

struct MountTableTests {
    private static let text = """
        22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/root rw
        25 22 0:5 / /proc rw shared:2 master:3 - proc proc rw
        31 22 0:40 / /mnt/a\\040-\\040b rw - nfs4 server:/a rw
        32 22 0:41 / /mnt/shared rw shared:9 - virtiofs shared rw
        33 22 0:42 / /dev/shm rw - tmpfs tmpfs rw
        34 22 4100:65793 / /large rw - xfs /dev/large rw
        35 22 8:1 / /incomplete rw -
        36 22 8:2
        not a mount

        """

    @Test(
        "Only listed file systems that no other machine changes are local",
        arguments: [
            (254 << 8, true), (0 << 8 | 5, false), (40, false), (41, false), (42, true), (8 << 8 | 1, false), (8 << 8 | 2, false),
            (99, false),
            // Larger numbers than twelve and eight bits, as the kernel distributes them over the device number.
            (4_096 << 32 | 4 << 8 | 0x01 | 0x101 << 20, true), (4 << 8 | 0x01, false),
        ] as [(UInt64, Bool)])
    func local(device: UInt64, isLocal: Bool) { #expect(MountTable(Self.text).isLocal(device: device) == isLocal) }

    @Test("A table that cannot be read has no local file system")
    func unreadable() throws {
        let system = FileSystem(fault: { operation, _ in operation == .open ? 13 : nil })
        let device = try #require(try system.status("/")).device
        #expect(!MountTable(system).isLocal(device: device))
    }
}
