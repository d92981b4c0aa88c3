import TelemetryModels
import TelemetrySystem

/// The numbers of a client's segments removed by retention: the file `retired`, one range `first-last` per line.
///
/// For a missing segment, a reader finds here whether retention removed it or its events were deleted.
struct RetiredSegments {
    private static let maximumRanges = 1_024

    let layout: StoreLayout
    let system: FileSystem
    private let directory: String
    private var path: String { "\(directory)/retired" }
    private(set) var ranges: [ClosedRange<UInt64>]

    init(
        client: String, layout: StoreLayout, system: FileSystem, diagnostics: TelemetryDiagnosticsHandler?
    ) throws(FileError) {
        self.layout = layout
        self.system = system
        directory = layout.client(directory: client)
        let quarantine = Quarantine(layout: layout, system: system, diagnostics: diagnostics)
        let bytes = try quarantine.content(of: "\(directory)/retired", limit: FileLimits.list) ?? []
        ranges = bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
            let numbers = line.split(separator: UInt8(ascii: "-")).compactMap { UInt64(String(decoding: $0, as: UTF8.self)) }
            return numbers.count == 2 && numbers[0] <= numbers[1] ? numbers[0]...numbers[1] : nil
        }
    }

    func contains(_ segment: String) -> Bool {
        let number = ClientStore.number(of: segment)
        return ranges.contains { $0.contains(number) }
    }

    /// Adds a segment. The file stays small if segments are added in the order of their numbers.
    mutating func add(_ segment: String, isDurable: Bool) throws(FileError) {
        let number = ClientStore.number(of: segment)
        if let last = ranges.last, last.upperBound < number, last.upperBound + 1 == number {
            ranges[ranges.count - 1] = last.lowerBound...number
        } else if !contains(segment) {
            ranges.append(number...number)
        }
        let buffer = ByteBuffer()
        for range in ranges.suffix(Self.maximumRanges) { buffer.append("\(range.lowerBound)-\(range.upperBound)\n") }
        try system.replace(path, isDurable: isDurable) { file throws(FileError) in try file.write(buffer.bytes) }
    }
}
