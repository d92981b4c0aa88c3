import Foundation

extension TelemetryDeviceInfo {
    /// Reads the system's properties. Never fails: a property that cannot be determined is "unknown".
    static func detect() -> Self {
        var names = utsname()
        _ = uname(&names)
        return Self(
            deviceType: systemName,
            deviceName: text(of: names.nodename),
            deviceModel: model ?? text(of: names.machine),
            osVersion: osVersion(kernel: text(of: names.release)),
            appVersion: appVersion(
                bundle: Bundle.main.infoDictionary,
                executable: executable))
    }

    /// The identifier of the app's bundle, otherwise the executable's name.
    package static let app = Bundle.main.bundleIdentifier ?? executable

    private static var executable: String? { CommandLine.arguments.first.map { URL(filePath: $0).lastPathComponent } }

    /// The version and build of the app's bundle, or the executable's name.
    static func appVersion(bundle: [String: Any]?, executable: String?) -> String {
        let version = bundle?["CFBundleShortVersionString"] as? String
        let build = bundle?["CFBundleVersion"] as? String
        return switch (version, build) {
        case (let version?, let build?): "\(version) (\(build))"
        case (let version?, nil): version
        case (nil, let build?): build
        case (nil, nil): executable.flatMap { $0.isEmpty ? nil : $0 } ?? "unknown"
        }
    }

    /// The distribution's name in the text of `/etc/os-release`, as specified in os-release(5).
    static func distribution(osRelease text: String) -> String? {
        var values: [Substring: String] = [:]
        for line in text.split(whereSeparator: \.isNewline) where !line.hasPrefix("#") {
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { continue }
            values[parts[0]] = unquoted(parts[1])
        }
        if let pretty = values["PRETTY_NAME"], !pretty.isEmpty { return pretty }
        guard let name = values["NAME"], !name.isEmpty else { return nil }
        return values["VERSION_ID"].map { "\(name) \($0)" } ?? name
    }

    /// Removes the quotes of a shell word: within single quotes every character is literal; elsewhere a backslash escapes the
    /// next one.
    private static func unquoted(_ word: Substring) -> String {
        var (result, quote, isEscaped): (String, Character?, Bool) = ("", nil, false)
        for character in word.trimmingCharacters(in: .whitespaces) {
            switch character {
            case _ where isEscaped:
                result.append(character)
                isEscaped = false
            case "\\" where quote != "'": isEscaped = true
            case quote: quote = nil
            case "\"" where quote == nil, "'" where quote == nil: quote = character
            default: result.append(character)
            }
        }
        return result
    }

    private static func osVersion(kernel: String) -> String {
        #if os(Linux)
        let release = ["/etc/os-release", "/usr/lib/os-release"].lazy
            .compactMap { try? String(contentsOfFile: $0, encoding: .utf8) }.first
        return release.flatMap(distribution(osRelease:)).map { "\($0), kernel \(kernel)" } ?? "kernel \(kernel)"
        #else
        let version = ProcessInfo.processInfo.operatingSystemVersion
        return "\(version.majorVersion).\(version.minorVersion).\(version.patchVersion)"
        #endif
    }

    private static var systemName: String {
        #if os(macOS)
        "macOS"
        #elseif os(iOS)
        "iOS"
        #elseif os(tvOS)
        "tvOS"
        #elseif os(watchOS)
        "watchOS"
        #elseif os(visionOS)
        "visionOS"
        #elseif os(Android)
        "Android"
        #elseif os(Linux)
        "Linux"
        #else
        "unknown"
        #endif
    }

    /// The Mac's model. On macOS `uname` returns the architecture; on Apple's other systems it returns the model.
    private static var model: String? {
        #if os(macOS)
        var size = 0
        guard sysctlbyname("hw.model", nil, &size, nil, 0) == 0, size > 1 else { return nil }
        var bytes = [UInt8](repeating: 0, count: size)
        guard sysctlbyname("hw.model", &bytes, &size, nil, 0) == 0 else { return nil }
        return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        #else
        nil
        #endif
    }

    private static func text<Tuple>(of tuple: Tuple) -> String {
        withUnsafeBytes(of: tuple) { bytes in
            let text = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            return text.isEmpty ? "unknown" : text
        }
    }
}
