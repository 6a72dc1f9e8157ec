/// An interface of one of our own objects: its table, and what its members do.
package final class ExportedInterface {
    package let name: InterfaceName
    package let members: [any Member]
    private var handlers: [(member: MemberName, handler: Handler)] = []
    /// The properties that are asked of the owner.
    private var asked: [(name: MemberName, read: (AnyObject?) -> Value?)] = []
    /// The names of those that are held here, and they themselves as a message has them.
    private var names: [MemberName] = []
    private var held: [Value.Entry] = []
    /// What they were before the first of them was set.
    private var original: (held: [Value.Entry], whole: Value?, edition: Int?)?
    private var writers: [MemberName: (AnyObject?, Value) -> Bool] = [:]
    /// Whom the closures are given.
    private weak var owner: AnyObject?
    /// All properties as they were told last, if they are held here.
    private var whole: Value?
    /// Which state of the properties that are held here this is; `nil` where others hold some, who may have changed any
    /// time.
    private(set) var edition: Int? = 0
    private var changes = 0

    package init<Table: Interface>(_ table: Table.Type) {
        name = table.name
        members = table.members
    }

    /// An interface that does what `pattern` does, for an owner of its own: what all objects of a kind have in common
    /// is said once. The owner is not kept.
    package init(_ pattern: ExportedInterface, of owner: AnyObject) {
        name = pattern.name
        members = pattern.members
        handlers = pattern.handlers
        asked = pattern.asked
        (names, held) = (pattern.names, pattern.held)
        writers = pattern.writers
        (edition, changes) = (pattern.edition, pattern.changes)
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
        (edition, whole) = (nil, nil)
        if let before = original { original = (before.held, nil, nil) }
    }

    /// Serves a property that is held here, and is this until it is set.
    package func serve<Content>(_ property: Property<Content>, is content: Content) {
        let entry = Self.entry(property.name, content.value)
        names.append(property.name)
        held.append(entry)
        changed()
        if let before = original { original = (before.held + [entry], nil, nextEdition()) }
    }

    /// Sets a property that is held here.
    ///
    /// - Returns: it as a message has it.
    @discardableResult
    package func set(_ name: MemberName, to value: Value) -> Value.Entry {
        let entry = Self.entry(name, value)
        if let place = names.firstIndex(of: name) {
            if original == nil { original = (held, whole, edition) }
            held[place] = entry
            changed()
        }
        return entry
    }

    /// Sets all properties that are held here to what they were at first.
    package func reset() {
        guard let original else { return }
        (held, whole, edition) = original
        self.original = nil
    }

    private func changed() {
        whole = nil
        edition = nextEdition()
    }

    private func nextEdition() -> Int? {
        changes += 1
        return edition.map { _ in changes }
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
        if let whole { return whole }
        var entries = held
        if !asked.isEmpty { entries.reserveCapacity(held.count + asked.count) }
        let owner = owner
        for place in asked.indices {
            if let value = asked[place].read(owner) { entries.append(Self.entry(asked[place].name, value)) }
        }
        let told = Value.dictionary(key: String.signature, value: Variant.signature, entries)
        if asked.isEmpty { whole = told }
        return told
    }

    package func property(_ name: String) -> Value? {
        if let place = names.firstIndex(where: { $0.text == name }), case .variant(let value) = held[place].value {
            return value
        }
        return asked.first { $0.name.text == name }?.read(owner)
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
