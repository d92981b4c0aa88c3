/// The scenarios of ``FolderWork``.
public enum FileScenario: String, CaseIterable, Sendable {
    case fileRead = "FileRead"
    case checksum = "Checksum"
    case directoryWalk = "DirectoryWalk"
}
