/// What only a user can help with.
enum NeedsUser {
    /// What a user has to do; keys that do not help are told apart from no keys.
    static func failure(_ address: BluetoothAddress, isPaired: Bool) -> ReadingFailure {
        let command = "'blekeep pair \(address)'"
        return ReadingFailure(
            .needsUser,
            isPaired
                ? "the device does not take the keys of its pairing: run 'blekeep forget \(address)', then \(command)"
                : "this needs pairing: run \(command)")
    }
}
