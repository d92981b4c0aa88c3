/// The 64-bit FNV-1a hash, the same in every process: <https://datatracker.ietf.org/doc/html/draft-eastlake-fnv>.
package enum FNV1a {
    package static func hash(_ text: String) -> UInt64 {
        text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
    }
}
