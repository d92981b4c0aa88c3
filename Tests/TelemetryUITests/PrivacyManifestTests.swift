import Foundation
import Testing

struct PrivacyManifestTests {
    @Test("The privacy manifest is a property list with the APIs that the sources use, and a reason for each")
    func manifest() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        let data = try Data(contentsOf: root.appending(path: "Sources/TelemetryModels/Privacy/PrivacyInfo.xcprivacy"))
        let list = try #require(try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any])
        #expect(list["NSPrivacyTracking"] as? Bool == false)
        let reasons = try #require(list["NSPrivacyAccessedAPITypes"] as? [[String: Any]])
        let kinds = Set(reasons.compactMap { $0["NSPrivacyAccessedAPIType"] as? String })
        #expect(
            kinds == ["NSPrivacyAccessedAPICategoryUserDefaults", "NSPrivacyAccessedAPICategoryFileTimestamp"])
        for reason in reasons { #expect((reason["NSPrivacyAccessedAPITypeReasons"] as? [String])?.isEmpty == false) }
        // The app's own defaults, and those of its app group.
        let defaults = reasons.first { $0["NSPrivacyAccessedAPIType"] as? String == "NSPrivacyAccessedAPICategoryUserDefaults" }
        #expect(defaults?["NSPrivacyAccessedAPITypeReasons"] as? [String] == ["CA92.1", "1C8F.1"])
    }

    @Test("The string table holds exactly the texts that the user interface uses")
    func strings() throws {
        let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources/TelemetryUI")
        let table = try String(
            contentsOf: sources.appending(path: "Resources/en.lproj/Localizable.strings"), encoding: .utf8)
        let keys = Set(table.split(separator: "\n").compactMap { $0.split(separator: "\"").first.map(String.init) })
        var used: Set<String> = []
        let views = sources.appending(path: "View")
        for file in try FileManager.default.contentsOfDirectory(at: views, includingPropertiesForKeys: nil) {
            let text = try String(contentsOf: file, encoding: .utf8)
            let key = /"((?:toggle|status|code|scenarios|level|source|actions|pause|sent|session)\.[A-Za-z]+)"/
            for match in text.matches(of: key) {
                used.insert(String(match.output.1))
            }
        }
        #expect(used == keys)
    }
}
