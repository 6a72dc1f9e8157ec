import Blekeep

/// The names of characteristics in a configuration.
package struct CharacteristicNames: Sendable {
    /// Returns the characteristic with an official name, in any accepted spelling.
    var find: @Sendable (String) -> BluetoothUUID?
    /// Returns the official name that is most similar to a misspelled one.
    var closest: @Sendable (String) -> String?

    package init(
        find: @escaping @Sendable (String) -> BluetoothUUID?, closest: @escaping @Sendable (String) -> String?
    ) {
        self.find = find
        self.closest = closest
    }

    /// The assigned names.
    package static let assigned = CharacteristicNames(
        find: { AssignedNumbers.characteristic(named: $0) }, closest: { AssignedNumbers.closestCharacteristic(to: $0) })
}
