import Foundation

/// Who may read and write what a store consists of.
extension StoreExamination {
    /// Enough to find what is wrong; a store may have very many files.
    private static let mostFiles = 20_000

    func permissions() -> [Finding] {
        var findings: [Finding] = []
        let manager = FileManager.default
        let own = try? manager.attributesOfItem(atPath: directory.path)
        if let mode = own?[.posixPermissions] as? Int, mode & 0o077 != 0 {
            findings.append(
                .init(.odd, "other users of this machine may look into the store", "chmod 700 \(directory.path)"))
        }
        var strangers: [String] = []
        var closed: [String] = []
        let walk = manager.enumerator(atPath: directory.path)
        var count = 0
        while let name = walk?.nextObject() as? String, count < Self.mostFiles {
            count += 1
            let path = directory.appendingPathComponent(name).path
            guard let attributes = try? manager.attributesOfItem(atPath: path) else { continue }
            if (attributes[.ownerAccountID] as? Int) != (own?[.ownerAccountID] as? Int) { strangers.append(name) }
            // A journal file that is ended may not be written to any more.
            if !manager.isReadableFile(atPath: path) || !manager.isWritableFile(atPath: path) && !name.hasPrefix("journal/") {
                closed.append(name)
            }
        }
        if let first = strangers.first {
            let owner = own?[.ownerAccountName] as? String ?? "OWNER"
            findings.append(
                .init(
                    .odd, "\(counted(strangers.count, "file")) of another user than the store, first: \(first)",
                    "clients of the other user fail where they need them: chown -R \(owner) \(directory.path)"))
        }
        if let first = closed.first {
            findings.append(
                .init(
                    .bad, "\(counted(closed.count, "file")) that cannot be read or written, first: \(first)",
                    "chmod -R u+rwX \(directory.path), as the user who owns it"))
        }
        return findings
    }
}
