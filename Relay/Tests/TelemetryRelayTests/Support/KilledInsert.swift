import Foundation
import GRDB

extension Database {
    /// Makes this connection kill the process, within the transaction, after it has inserted a row that satisfies the condition.
    func killProcess(afterInsertInto table: String, when condition: String) throws {
        add(
            function: DatabaseFunction("die", argumentCount: 0) { _ in
                kill(getpid(), SIGKILL)
                return nil
            })
        try execute(
            sql: "CREATE TEMP TRIGGER dies AFTER INSERT ON main.\(table) WHEN \(condition) BEGIN SELECT die(); END")
    }
}
