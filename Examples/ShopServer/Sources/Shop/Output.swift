import Foundation

/// The server's standard output.
public enum Output {
    public static func line(_ text: String) { FileHandle.standardOutput.write(Data("\(text)\n".utf8)) }
}
