public import Foundation

/// Finds the programs that are built together with this one.
public enum BuiltProgram {
    /// The program with this name in the folder of this one, or in a folder above.
    /// - Throws: `CocoaError(.fileNoSuchFile)` if there is none.
    public static func url(_ name: String) throws -> URL {
        var folder = (Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])).resolvingSymlinksInPath()
        while folder.path != "/" {
            folder.deleteLastPathComponent()
            let program = folder.appending(path: name)
            var isDirectory: ObjCBool = false
            if FileManager.default.fileExists(atPath: program.path, isDirectory: &isDirectory), !isDirectory.boolValue {
                return program
            }
        }
        throw CocoaError(.fileNoSuchFile, userInfo: [NSFilePathErrorKey: name])
    }
}
