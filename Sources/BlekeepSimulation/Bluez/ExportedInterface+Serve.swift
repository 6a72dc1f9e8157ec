import DBus

extension ExportedInterface {
    /// The same as the one that it takes the place of here, but known to this module: a tree of objects with their
    /// properties is told again and again, and what is generic elsewhere asks the runtime for types each time.
    func serve<Content>(_ property: Property<Content>, _ read: @escaping () -> Content?) {
        serve(property.name) { read()?.value }
    }
}
