#if canImport(SwiftUI)
import Foundation
import SwiftUI

extension Text {
    /// The text for a key of the package's string table.
    init(telemetry key: String) {
        if TelemetryTexts.isReworded(key) {
            self.init(LocalizedStringKey(key), tableName: TelemetryTexts.hostTable)
        } else {
            self.init(LocalizedStringKey(key), bundle: .module)
        }
    }
}
#endif
