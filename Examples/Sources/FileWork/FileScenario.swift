/// The scenarios of ``FolderWork``: what a viewer can turn on and off.
public enum FileScenario: String, CaseIterable, Sendable {
    case fileRead = "FileRead"
    case checksum = "Checksum"
    case directoryWalk = "DirectoryWalk"
}
