import DBus

/// How all objects of a kind serve an interface: said once, as they come and go by the thousand.
struct InterfacePattern<Owner: AnyObject> {
    private let interface: ExportedInterface

    init<Table: Interface>(_ table: Table.Type) { interface = ExportedInterface(table) }

    /// The interface of one of them, which is not kept by it.
    func of(_ owner: Owner) -> ExportedInterface { ExportedInterface(interface, of: owner) }

    /// Serves a property; `nil` means that it is not there at the moment.
    func serve<Content>(_ property: Property<Content>, _ read: @escaping (Owner) -> Content?) {
        interface.serveOwned(property.name) { ($0 as? Owner).flatMap(read)?.value }
    }

    /// The same, with what the owner keeps as a message has it.
    func serve<Content>(_ property: Property<Content>, told read: @escaping (Owner) -> Value?) {
        interface.serveOwned(property.name) { ($0 as? Owner).flatMap(read) }
    }

    func handle<Output: WireReply, each Input: WireType>(
        _ method: Method<Output, repeat each Input>, _ handler: @escaping (Owner, Invocation) -> Void
    ) {
        interface.handleOwned(method) { owner, call in
            if let owner = owner as? Owner { handler(owner, call) }
        }
    }

    /// Replies with nothing, or with what the closure throws.
    func answer<Output: WireReply, each Input: WireType>(
        _ method: Method<Output, repeat each Input>,
        _ action: @escaping (Owner, Invocation) throws(BluezFailure) -> Void
    ) {
        handle(method) { owner, call in call.answer { () throws(BluezFailure) in try action(owner, call) } }
    }

    /// Lets others set a property; the closure says whether it was taken.
    func accept<Content>(_ property: Property<Content>, _ write: @escaping (Owner, Content) -> Bool) {
        interface.acceptOwned(property) { owner, content in (owner as? Owner).map { write($0, content) } ?? false }
    }
}
