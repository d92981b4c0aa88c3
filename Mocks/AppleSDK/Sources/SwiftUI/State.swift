/// <https://developer.apple.com/documentation/swiftui/state>
@propertyWrapper
public struct State<Value> {
    private final class Storage {
        var value: Value
        init(_ value: Value) { self.value = value }
    }

    private let storage: Storage

    /// <https://developer.apple.com/documentation/swiftui/state/init(wrappedvalue:)>
    public init(wrappedValue: Value) { storage = Storage(wrappedValue) }
    /// <https://developer.apple.com/documentation/swiftui/state/init(initialvalue:)>
    public init(initialValue: Value) { self.init(wrappedValue: initialValue) }

    public var wrappedValue: Value {
        get { storage.value }
        nonmutating set { storage.value = newValue }
    }

    /// <https://developer.apple.com/documentation/swiftui/state/projectedvalue>
    public var projectedValue: Binding<Value> {
        let storage = storage
        return Binding(get: { storage.value }, set: { storage.value = $0 })
    }
}

/// <https://developer.apple.com/documentation/swiftui/binding>
@propertyWrapper
@dynamicMemberLookup
public struct Binding<Value> {
    private let read: () -> Value
    private let write: (Value) -> Void

    init(get: @escaping () -> Value, set: @escaping (Value) -> Void) {
        read = get
        write = set
    }

    public var wrappedValue: Value {
        get { read() }
        nonmutating set { write(newValue) }
    }

    public var projectedValue: Binding<Value> { self }

    /// <https://developer.apple.com/documentation/swiftui/binding/subscript(dynamicmember:)>
    public subscript<Subject>(dynamicMember keyPath: WritableKeyPath<Value, Subject>) -> Binding<Subject> {
        Binding<Subject>(get: { read()[keyPath: keyPath] }, set: { wrappedValue[keyPath: keyPath] = $0 })
    }
}
