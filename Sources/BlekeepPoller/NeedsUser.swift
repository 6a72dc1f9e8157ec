/// The failures of pairing that only the user can repair.
enum NeedsUser {
    /// Returns the failure with the command to run, for missing keys or for keys that the device refuses.
    static func failure(_ address: BluetoothAddress, isPaired: Bool) -> ReadingFailure {
        let command = "'blekeep pair \(address)'"
        return ReadingFailure(
            .needsUser,
            isPaired
                ? "the device refuses the keys of its pairing: run 'blekeep forget \(address)', then \(command)"
                : "this needs pairing: run \(command)")
    }
}
