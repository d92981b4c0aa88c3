import Foundation

/// Checks the permissions and the owner of the store's files.
extension StoreExamination {
    /// The maximum number of files to check, because a store may have very many.
    private static let maximumFiles = 20_000

    func permissions(_ directory: URL) -> [Finding] {
        var findings: [Finding] = []
        let manager = FileManager.default
        let own = try? manager.attributesOfItem(atPath: directory.path)
        if let mode = own?[.posixPermissions] as? Int, mode & 0o077 != 0 {
            findings.append(
                .init(.warning, "other users of this machine can read the store", "chmod 700 \(directory.path)"))
        }
        var otherOwners: [String] = []
        var inaccessible: [String] = []
        let walk = manager.enumerator(atPath: directory.path)
        var count = 0
        while let name = walk?.nextObject() as? String, count < Self.maximumFiles {
            count += 1
            let path = directory.appendingPathComponent(name).path
            guard let attributes = try? manager.attributesOfItem(atPath: path) else { continue }
            if (attributes[.ownerAccountID] as? Int) != (own?[.ownerAccountID] as? Int) { otherOwners.append(name) }
            // A finished journal file is read-only.
            if !manager.isReadableFile(atPath: path) || !manager.isWritableFile(atPath: path) && !name.hasPrefix("journal/") {
                inaccessible.append(name)
            }
        }
        if let first = otherOwners.first {
            let owner = own?[.ownerAccountName] as? String ?? "OWNER"
            findings.append(
                .init(
                    .warning, "\(counted(otherOwners.count, "file")) owned by another user than the store, first: \(first)",
                    "clients of the store's owner may fail to access them: chown -R \(owner) \(directory.path)"))
        }
        if let first = inaccessible.first {
            findings.append(
                .init(
                    .error, "\(counted(inaccessible.count, "file")) not readable or not writable, first: \(first)",
                    "chmod -R u+rwX \(directory.path), as the user who owns it"))
        }
        return findings
    }
}
