import TelemetryModels

/// Moves files that cannot be read out of the way, into a directory of their own, and tells of it.
struct SetAside {
    let layout: StoreLayout
    let system: FileSystem
    let diagnostics: TelemetryDiagnosticsHandler?

    func move(_ path: String) {
        let name = path.dropFirst(layout.directory.count + 1).replacing("/", with: "-")
        let place = "\(layout.setAside)/\(name)-\(EventIdentifier.randomPrefix().prefix(6))"
        do {
            try system.makeDirectory(layout.setAside)
            try system.rename(path, to: place)
            diagnostics?(.init(kind: .corruptFile, message: "\(path) could not be read and was set aside as \(place)."))
        } catch {
            diagnostics?(.init(kind: .corruptFile, message: "\(path) could not be read, nor set aside: \(error)."))
        }
    }
}
