import DBus

extension ExportedInterface {
    /// Serves a property. `nil` means that the object doesn't have it now.
    ///
    /// It is in the module that uses it, because a generic function of another module looks types up at each read.
    package func serve<Content>(_ property: Property<Content>, read: @escaping () -> Content?) {
        serveOwned(property.name) { _ in read()?.value }
    }
}
