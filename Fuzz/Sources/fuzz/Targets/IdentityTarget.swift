import Foundation

/// Reads and writes a client's identity file. A stored identifier is found afterwards, or the file is reported as corrupt.
enum IdentityTarget {
    private static let known = (0..<200).map { "session-\($0)" } + ["one", "two", "three"]

    private static let valid: [UInt8] = {
        let path = Scratch.fresh("identity-made")
        mkdir(Scratch.directory, 0o700)
        IdentityAccess.make(path, with: known)
        return Scratch.read(path)
    }()

    static func run(_ bytes: UnsafeBufferPointer<UInt8>) {
        var input = ByteInput(bytes)
        let mode = input.byte()
        let count = input.number(below: 8)
        var file: [UInt8]
        if mode & 1 == 0 {
            file = input.rest()
        } else {
            file = valid
            damage(&file, &input)
        }
        if mode & 2 == 0 { IdentityAccess.repair(&file) }
        let path = Scratch.fresh("identity")
        Scratch.write(file, to: path)
        guard let index = IdentityAccess(path) else { return }
        // The header's checksum was not corrected, so an accepted file has the original slots.
        if mode & 3 == 3 {
            for identifier in known where index.stage(identifier) != false {
                violated("\(identifier) was stored but is not found, and the file is not reported as corrupt")
            }
        }
        let identifiers = (0..<count * 16).map { "fresh-\(Int(mode) << 8 + $0)" } + known.prefix(count)
        var staged: [String] = []
        for identifier in identifiers {
            guard let isNew = index.stage(identifier) else { return }
            if isNew { staged.append(identifier) }
        }
        guard index.commit() else { return }
        guard let again = IdentityAccess(path) else { violated("the file that was written cannot be read") }
        for identifier in staged where again.stage(identifier) == true {
            violated("\(identifier) was stored but is not found")
        }
    }

    private static func damage(_ file: inout [UInt8], _ input: inout ByteInput) {
        repeat {
            let place = input.number(below: file.count)
            switch input.number(below: 3) {
            case 0: file[place] = input.byte()
            case 1: file.removeLast(min(file.count - 1, file.count - place))
            default:
                let bytes = input.take(8)
                for (index, byte) in bytes.enumerated() where place + index < file.count { file[place + index] = byte }
            }
        } while !input.isAtEnd && file.count > 1
    }
}
