import ArgumentParser
import Foundation
import TelemetryRelay

struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Copy the database to a new file.",
        discussion: """
            The relay may be running; writers do not wait. The copy has everything that was acknowledged before the command began, \
            the hashes of tokens and the secrets of webhooks; only its owner can read it. Back up a PostgreSQL database with pg_dump.
            """)

    @Argument(help: "The file to create.", completion: .file())
    var file: String
    @OptionGroup var store: DatabaseOptions

    func run() throws { try Relay.backUp(try store.maintenanceConfiguration(), to: URL(filePath: file)) }
}

struct RestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Replace the content of the database by a backup.",
        discussion: """
            The relay may be running; it continues with the backup's content within a second. The backup is checked first. The present \
            content is copied to a file beside the database, whose name is printed. What was stored since the backup is then only \
            there. Tokens that were revoked since the backup are valid again: revoke them again. Restore a PostgreSQL database with \
            pg_restore.
            """)

    @Argument(help: "The backup.", completion: .file())
    var file: String
    @Flag(help: "Restore the backup even if the check finds faults.")
    var acceptFaults = false
    @OptionGroup var store: DatabaseOptions

    func run() throws {
        let kept = try Relay.restore(URL(filePath: file), to: try store.maintenanceConfiguration(), acceptsFaults: acceptFaults)
        if let kept { try TerminalOutput.write("the replaced content is in \(kept.path)") }
    }
}

struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Verify the database.",
        discussion: """
            The relay may be running. Reads everything, writes nothing, and prints a line for each fault and a summary. Exits with 1 if \
            there are faults.
            """)

    @OptionGroup var store: DatabaseOptions

    func run() async throws {
        let report = try await Relay.check(try store.maintenanceConfiguration())
        for fault in report.faults { try TerminalOutput.write(fault) }
        try TerminalOutput.write(report.summary)
        if !report.isIntact { throw ExitCode.failure }
    }
}
