import DBus

extension ExportedInterface {
    /// Serves a property; `nil` means that it is not there at the moment.
    ///
    /// It stands in the module that uses it: what is generic elsewhere asks the runtime for types at each read.
    package func serve<Content>(_ property: Property<Content>, _ read: @escaping () -> Content?) {
        serveOwned(property.name) { _ in read()?.value }
    }
}
