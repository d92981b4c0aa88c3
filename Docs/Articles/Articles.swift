/// Articles that the project's programs show.
@_spi(Tooling) public enum Articles {
    /// The query language, in Markdown.
    public static var askingQuestions: String { String(decoding: PackageResources.AskingQuestions_md, as: UTF8.self) }
}
