/// An interface of one of our own objects: its table, and what its members do.
package final class ExportedInterface {
    package let name: InterfaceName
    package let members: [any Member]
    private var handlers: [(member: MemberName, handler: Handler)] = []
    /// The properties whose values the interface holds.
    private var held: [(name: MemberName, value: Value)] = []
    /// The properties whose values the owner holds.
    private var asked: [(name: MemberName, read: (AnyObject?) -> Value?)] = []
    private var writers: [MemberName: (AnyObject?, Value) -> Bool] = [:]
    /// Whom the closures are given.
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
        asked = pattern.asked
        writers = pattern.writers
        self.owner = owner
    }

    // MARK: What its members do

    /// Answers calls of `method`: at once or later, through the invocation.
    package func handle<Output: WireReply, each Input: WireType>(
        _ method: Method<Output, repeat each Input>, _ handler: @escaping (Invocation) -> Void
    ) {
        handleOwned(method) { handler($1) }
    }

    /// The same, with the owner.
    package func handleOwned<Output: WireReply, each Input: WireType>(
        _ method: Method<Output, repeat each Input>, _ handler: @escaping (AnyObject?, Invocation) -> Void
    ) {
        var signature = ""
        for one in repeat (each Input).self { signature += one.signature.text }
        handlers.append((method.name, Handler(signature: signature, handle: handler)))
    }

    /// What answers a method, and the signature that its arguments must have.
    private struct Handler {
        let signature: String
        let handle: (AnyObject?, Invocation) -> Void
    }

    /// Serves a property, which is asked of the owner each time; `nil` means that it is not there at the moment.
    package func serveOwned(_ name: MemberName, _ read: @escaping (AnyObject?) -> Value?) {
        asked.append((name, read))
    }

    /// Serves a property that is held here, and is this until it is set.
    package func serve<Content>(_ property: Property<Content>, is content: Content) {
        held.append((property.name, content.value))
    }

    /// Sets a property that is held here.
    ///
    /// - Returns: it as a message has it.
    @discardableResult
    package func set(_ name: MemberName, to value: Value) -> Value.Entry {
        if let place = held.firstIndex(where: { $0.name == name }) { held[place].value = value }
        return Self.entry(name, value)
    }

    private static func entry(_ name: MemberName, _ value: Value) -> Value.Entry {
        Value.Entry(.string(name.text), .variant(value))
    }

    /// Lets others set a property; the closure says whether it was taken.
    package func accept<Content>(_ property: Property<Content>, _ write: @escaping (Content) -> Bool) {
        acceptOwned(property) { write($1) }
    }

    /// The same, with the owner.
    package func acceptOwned<Content>(
        _ property: Property<Content>, _ write: @escaping (AnyObject?, Content) -> Bool
    ) {
        writers[property.name] = { owner, value in Content(value).map { write(owner, $0) } ?? false }
    }

    // MARK: What is asked of it

    /// All properties as a message has them.
    var told: Value {
        var entries = held.map { Self.entry($0.name, $0.value) }
        for property in asked {
            if let value = property.read(owner) { entries.append(Self.entry(property.name, value)) }
        }
        return .dictionary(key: String.signature, value: Variant.signature, entries)
    }

    package func property(_ name: String) -> Value? {
        held.first { $0.name.text == name }?.value ?? asked.first { $0.name.text == name }?.read(owner)
    }

    func write(_ name: MemberName, _ value: Value) -> Bool? { writers[name].map { $0(owner, value) } }

    /// Lets a method answer; `nil` when there is none of this name, `false` when it takes other arguments.
    func answer(_ call: Invocation) -> Bool? {
        guard let place = handlers.lastIndex(where: { $0.member == call.member }) else { return nil }
        guard handlers[place].handler.signature == call.signature else { return false }
        handlers[place].handler.handle(owner, call)
        return true
    }
}
