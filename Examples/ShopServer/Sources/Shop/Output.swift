import Foundation

/// The server's standard output.
public enum Output {
    public static func line(_ text: String) { try? FileHandle.standardOutput.write(contentsOf: Data("\(text)\n".utf8)) }
}
