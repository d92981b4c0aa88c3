import Foundation

extension Error {
    /// What went wrong, for a person to read.
    var inWords: String { localizedDescription }
}
