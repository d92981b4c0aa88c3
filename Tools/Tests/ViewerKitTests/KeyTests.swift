import Testing

@testable import ViewerKit

struct KeyTests {
    @Test(
        "Incomplete keys are detected",
        arguments: [
            ([0x1B], true), ([0x1B, 0x5B], true), ([0x1B, 0x5B, 0x35], true), ([0x1B, 0x5B, 0x35, 0x7E], false), ([0x61], false),
            ([0xC3], true), ([0xC3, 0xBC], false), ([0xE6, 0xBC], true), ([0x1B, 0x61], false), ([], false),
        ] as [([UInt8], Bool)])
    func partialKeys(bytes: [UInt8], isIncomplete: Bool) { #expect(Key.isIncomplete(bytes) == isIncomplete) }

    @Test(
        "The keys of a terminal are parsed",
        arguments: [
            ("\u{1B}[A", [Key.up]), ("\u{1B}OB", [.down]), ("\u{1B}[5~", [.pageUp]), ("\u{1B}", [.escape]),
            ("aü", [.character("a"), .character("ü")]),
            ("\u{3}", [.interrupt]), ("\r", [.enter]), ("\u{7F}", [.backspace]), ("\u{1B}[99;5u", []),
            ("\u{1B}[Z\t", [.backTab, .tab]), ("\u{1A}", [.suspend]),
            ("\u{12}\u{15}", [.control("r"), .control("u")]), ("\u{1B}[1;2C\u{1B}[1;2D", [.shiftRight, .shiftLeft]),
            ("\u{1B}[<64;10;5M\u{1B}[<65;200;5M", [.wheelUp, .wheelDown]), ("\u{1B}[<0;10;5M\u{1B}[<0;10;5mq", [.character("q")]),
            ("\u{1B}[M !!q", [.character("q")]),
        ])
    func keys(bytes: String, keys: [Key]) { #expect(Key.parse(Array(bytes.utf8)) == keys) }
}
