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
    }

    @Test("The string table holds exactly the texts that the user interface uses")
    func strings() throws {
        let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources/TelemetryUI")
        let table = try String(
            contentsOf: sources.appending(path: "Resources/en.lproj/Localizable.strings"), encoding: .utf8)
        let keys = Set(table.split(separator: "\n").compactMap { $0.split(separator: "\"").first.map(String.init) })
        var used: Set<String> = []
        for file in ["View/TelemetryToggleView.swift", "View/TelemetryStatusDisplay.swift"] {
            let text = try String(contentsOf: sources.appending(path: file), encoding: .utf8)
            for match in text.matches(of: /"((?:toggle|status|code|scenarios|session)\.[A-Za-z]+)"/) {
                used.insert(String(match.output.1))
            }
        }
        #expect(used == keys)
    }
}
