import DBus

/// The members of an interface, shared by all objects of a kind.
struct InterfacePattern<Owner: AnyObject> {
    private let interface: ExportedInterface

    init<Table: Interface>(_ table: Table.Type) { interface = ExportedInterface(table) }

    /// Returns the interface of one object, which it doesn't retain.
    func of(_ owner: Owner) -> ExportedInterface { ExportedInterface(interface, of: owner) }

    /// Serves a property. `nil` means that the object doesn't have it now.
    func serve<Content>(_ property: Property<Content>, read: @escaping (Owner) -> Content?) {
        interface.serveOwned(property.name) { ($0 as? Owner).flatMap(read)?.value }
    }

    /// Serves a property with a value that the owner stores for messages.
    func serve<Content>(_ property: Property<Content>, told read: @escaping (Owner) -> Value?) {
        interface.serveOwned(property.name) { ($0 as? Owner).flatMap(read) }
    }

    func handle<Output: WireReply, each Input: WireType>(
        _ method: Method<Output, repeat each Input>, handler: @escaping (Owner, Invocation) -> Void
    ) {
        interface.handleOwned(method) { owner, call in
            if let owner = owner as? Owner { handler(owner, call) }
        }
    }

    /// Replies without a result, or with the error of the closure.
    func answer<Output: WireReply, each Input: WireType>(
        _ method: Method<Output, repeat each Input>,
        action: @escaping (Owner, Invocation) throws(BluezFailure) -> Void
    ) {
        handle(method) { owner, call in call.answer { () throws(BluezFailure) in try action(owner, call) } }
    }

    /// Makes a property writable. The closure returns whether it accepts the value.
    func accept<Content>(_ property: Property<Content>, write: @escaping (Owner, Content) -> Bool) {
        interface.acceptOwned(property) { owner, content in (owner as? Owner).map { write($0, content) } ?? false }
    }
}
