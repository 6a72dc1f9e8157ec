/// An interface of an exported object: its table, and the closures behind its members.
package final class ExportedInterface {
    package let name: InterfaceName
    package let members: [any Member]
    private var handlers: [(member: MemberName, handler: Handler)] = []
    /// The properties whose values the interface holds.
    private var held: [(name: MemberName, value: Value)] = []
    /// The properties whose values the owner holds.
    private var owned: [(name: MemberName, read: (AnyObject?) -> Value?)] = []
    /// Returns all properties, if one closure serves them.
    private var whole: (() -> Properties)?
    private var writers: [MemberName: (AnyObject?, Value) -> Bool] = [:]
    /// The owner that the closures get.
    private weak var owner: AnyObject?

    package init<Table: Interface>(_ table: Table.Type) {
        name = table.name
        members = table.members
    }

    /// Creates an interface for `owner` with the members of `pattern`, which all objects of a kind share. The owner isn't
    /// retained.
    package init(_ pattern: ExportedInterface, of owner: AnyObject) {
        name = pattern.name
        members = pattern.members
        handlers = pattern.handlers
        held = pattern.held
        owned = pattern.owned
        writers = pattern.writers
        self.owner = owner
    }

    // MARK: Members

    /// Sets the closure that answers calls of `method`, at once or later, through the invocation.
    package func handle(_ method: any Member, handler: @escaping (Invocation) -> Void) {
        handleOwned(method) { handler($1) }
    }

    /// The same, with the owner.
    package func handleOwned(_ method: any Member, handler: @escaping (AnyObject?, Invocation) -> Void) {
        guard case .method(let inputs, _) = method.kind else { return }
        let signature = inputs.map(\.text).joined()
        handlers.append((method.name, Handler(signature: signature, handle: handler)))
    }

    /// The closure that answers a method, and the signature of the arguments.
    private struct Handler {
        let signature: String
        let handle: (AnyObject?, Invocation) -> Void
    }

    /// Serves a property whose value the closure returns. `nil` means that the object doesn't have it now.
    package func serveOwned(_ name: MemberName, read: @escaping (AnyObject?) -> Value?) { owned.append((name, read)) }

    /// Serves all properties by one closure, which leaves out what the object doesn't have now.
    package func serveAll(_ read: @escaping () -> Properties) { whole = read }

    /// Serves a property that the interface holds, with its first value.
    package func serve<Content>(_ property: Property<Content>, is content: Content) {
        held.append((property.name, content.value))
    }

    /// Sets a property that the interface holds. Returns the property for a message.
    @discardableResult
    package func set(_ name: MemberName, to value: Value) -> Value.Entry {
        if let place = held.firstIndex(where: { $0.name == name }) { held[place].value = value }
        return Self.entry(name, value: value)
    }

    private static func entry(_ name: MemberName, value: Value) -> Value.Entry {
        Value.Entry(.string(name.text), .variant(value))
    }

    /// Makes a property writable. The closure returns whether it accepts the value.
    package func accept<Content>(_ property: Property<Content>, write: @escaping (Content) -> Bool) {
        acceptOwned(property) { write($1) }
    }

    /// The same, with the owner.
    package func acceptOwned<Content>(_ property: Property<Content>, write: @escaping (AnyObject?, Content) -> Bool) {
        writers[property.name] = { owner, value in Content(value).map { write(owner, $0) } ?? false }
    }

    // MARK: Queries

    /// All properties for a message.
    var allProperties: Value {
        if let whole { return whole().value }
        var entries = held.map { Self.entry($0.name, value: $0.value) }
        for property in owned {
            if let value = property.read(owner) { entries.append(Self.entry(property.name, value: value)) }
        }
        return .dictionary(key: String.signature, value: Variant.signature, entries)
    }

    package func property(_ name: String) -> Value? {
        if let whole { return whole()[name]?.content }
        return held.first { $0.name.text == name }?.value ?? owned.first { $0.name.text == name }?.read(owner)
    }

    func write(_ name: MemberName, value: Value) -> Bool? { writers[name].map { $0(owner, value) } }

    /// Calls a method. Returns `nil` when there is no such method, `false` for other arguments.
    func answer(_ call: Invocation) -> Bool? {
        guard let place = handlers.lastIndex(where: { $0.member == call.member }) else { return nil }
        guard handlers[place].handler.signature == call.signature else { return false }
        handlers[place].handler.handle(owner, call)
        return true
    }
}
