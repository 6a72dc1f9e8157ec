import Blekeep

/// The names by which characteristics may be called in a configuration.
package struct CharacteristicNames: Sendable {
    /// The characteristic of an official name, in whichever spelling it takes.
    var find: @Sendable (String) -> BluetoothUUID?
    /// The official name that is most like a misspelt one.
    var closest: @Sendable (String) -> String?

    package init(
        find: @escaping @Sendable (String) -> BluetoothUUID?, closest: @escaping @Sendable (String) -> String?
    ) {
        self.find = find
        self.closest = closest
    }
}
