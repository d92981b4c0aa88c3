public import Observation

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
}

/// <https://developer.apple.com/documentation/swiftui/bindable>
@propertyWrapper
@dynamicMemberLookup
public struct Bindable<Value: AnyObject & Observable> {
    public var wrappedValue: Value
    public var projectedValue: Bindable<Value> { self }

    /// <https://developer.apple.com/documentation/swiftui/bindable/init(wrappedvalue:)>
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

    /// <https://developer.apple.com/documentation/swiftui/bindable/subscript(dynamicmember:)>
    public subscript<Subject>(dynamicMember keyPath: ReferenceWritableKeyPath<Value, Subject>) -> Binding<Subject> {
        let value = wrappedValue
        return Binding(get: { value[keyPath: keyPath] }, set: { value[keyPath: keyPath] = $0 })
    }
}
