import ViewerKit

/// A command that works on a store.
protocol StoreCommand: ToolCommand {
    var store: StoreOptions { get }
}

extension StoreCommand {
    func failure(describing error: any Error) async -> ToolFailure {
        guard let location = try? store.located() else { return ToolFailure(describing: error) }
        return await location.failure(describing: error)
    }
}
