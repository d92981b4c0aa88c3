import Foundation
import Testing

@testable import TelemetryModels

struct TelemetryDeviceInfoTests {
    @Test("The device information of this machine is complete")
    func current() {
        let device = TelemetryDeviceInfo.current
        #expect(device == .current)
        for text in [device.deviceType, device.deviceName, device.deviceModel, device.osVersion, device.appVersion] {
            #expect(!text.isEmpty && text != "unknown")
        }
        #if os(Linux)
        #expect(device.deviceType == "Linux")
        #expect(device.osVersion.contains("kernel "))
        #if arch(x86_64)
        #expect(device.deviceModel == "x86_64")
        #elseif arch(arm64)
        #expect(device.deviceModel == "aarch64")
        #endif
        #endif
    }

    @Test("Device information is compared, stored and shown by its five texts, whether copied or created again")
    func value() throws {
        func make(_ texts: [String]) -> TelemetryDeviceInfo {
            TelemetryDeviceInfo(
                deviceType: texts[0], deviceName: texts[1], deviceModel: texts[2], osVersion: texts[3], appVersion: texts[4])
        }
        let texts = ["iOS", "Ada's iPhone", "iPhone17,1", "26.1.0", "2.4 (118)"]
        let device = make(texts)
        let copy = device
        #expect(copy.isCopy(of: device) && copy == device)
        #expect(!make(texts).isCopy(of: device) && make(texts) == device && make(texts).hashValue == device.hashValue)
        for index in texts.indices {
            var others = texts
            others[index] += "x"
            #expect(make(others) != device)
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let text =
            #"{"appVersion":"2.4 (118)","deviceModel":"iPhone17,1","deviceName":"Ada's iPhone","#
            + #""deviceType":"iOS","osVersion":"26.1.0"}"#
        #expect(String(decoding: try encoder.encode(device), as: UTF8.self) == text)
        #expect(try JSONDecoder().decode(TelemetryDeviceInfo.self, from: Data(text.utf8)) == device)
        #expect(
            Mirror(reflecting: device).children.compactMap(\.label) == [
                "deviceType", "deviceName", "deviceModel", "osVersion", "appVersion",
            ])
    }

    @Test("The distribution's name is read from every valid form of os-release")
    func distribution() {
        let rows: [(String, String?)] = [
            ("PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nNAME=\"Debian GNU/Linux\"\n", "Debian GNU/Linux 12 (bookworm)"),
            ("NAME=Fedora\nVERSION_ID=42\n", "Fedora 42"),
            ("NAME='Alpine Linux'\nVERSION_ID='3.22.0'", "Alpine Linux 3.22.0"),
            ("NAME=Arch\n", "Arch"),
            ("# PRETTY_NAME=no\n\nPRETTY_NAME=\"\"\nNAME=\"X\"", "X"),
            ("PRETTY_NAME=\"The \\\"New\\\" One \\$5\"", "The \"New\" One $5"),
            ("PRETTY_NAME='a \"quoted\" \\ word'", "a \"quoted\" \\ word"),
            ("PRETTY_NAME=\"It's 'fine'\"", "It's 'fine'"),
            ("PRETTY_NAME=\"a=b\"\r\nNAME=c\r\n", "a=b"),
            ("VERSION_ID=1\n", nil), ("", nil), ("nonsense", nil), ("=\n=x\nNAME=", nil),
        ]
        for (text, name) in rows { #expect(TelemetryDeviceInfo.distribution(osRelease: text) == name, "\(text)") }
    }

    @Test("An app's version is its bundle's version and build, or the executable's name")
    func appVersion() {
        func version(_ bundle: [String: Any]?, _ executable: String?) -> String {
            TelemetryDeviceInfo.appVersion(bundle: bundle, executable: executable)
        }
        #expect(version(["CFBundleShortVersionString": "2.4", "CFBundleVersion": "118"], "x") == "2.4 (118)")
        #expect(version(["CFBundleShortVersionString": "2.4"], "x") == "2.4")
        #expect(version(["CFBundleVersion": "118"], "x") == "118")
        #expect(version([:], "server") == "server")
        #expect(version(nil, "server") == "server")
        #expect(version(nil, "") == "unknown")
        #expect(version(nil, nil) == "unknown")
    }

    @Test("The package's version consists of its three parts")
    func packageVersion() {
        #expect(
            LiveTelemetryVersion.version
                == "\(LiveTelemetryVersion.major).\(LiveTelemetryVersion.minor).\(LiveTelemetryVersion.patch)")
    }

    @Test("A diagnostic's description is its kind and message")
    func diagnostic() {
        for kind in TelemetryDiagnostic.Kind.allCases {
            let diagnostic = TelemetryDiagnostic(kind: kind, message: "about a file")
            #expect("\(diagnostic)" == "\(kind.rawValue): about a file")
        }
    }

    @Test("Debug information keeps its initial values")
    func debugInfo() {
        let info = DebugInfo(
            containerID: "c", buildType: "b", environment: "e", testQueryResults: 1, firstRecordID: "r", firstRecordFields: ["f"],
            recordCount: 2, errorMessage: "m")
        #expect(info.containerID == "c" && info.buildType == "b" && info.environment == "e" && info.testQueryResults == 1)
        #expect(info.firstRecordID == "r" && info.firstRecordFields == ["f"] && info.recordCount == 2)
        #expect(info.errorMessage == "m")
    }
}
