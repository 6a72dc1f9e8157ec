import Blekeep
import BlekeepOutputs

extension Failure {
    /// Creates the failure of a pairing, with the next step for the user.
    init(pairing error: any Error, _ address: BluetoothAddress) {
        switch error {
        case let error as PairingError: self.init(error, address)
        case let error as BluetoothError: self.init(error)
        case let failure as Failure: self = failure
        default: self.init(.allFailed, Untrusted("\(error)", limit: 1000).description)
        }
    }

    init(_ error: PairingError, _ address: BluetoothAddress) {
        let hint: String? =
            switch error.reason {
            case .needsPasskey:
                "run 'blekeep pair \(address)' at a terminal, or pass it: 'blekeep pair \(address) --passkey-stdin'"
            case .needsUser: "run 'blekeep pair \(address)' at a terminal"
            case .passkeyNotNeeded: "'blekeep pair \(address)'"
            case .bondLost: "'blekeep forget \(address)', then 'blekeep pair \(address)'"
            case .blocked: "'bluetoothctl unblock \(address)'"
            default: nil
            }
        self.init(
            error.reason == .noBluez ? .noBluez : .pairing,
            Untrusted(error.description, limit: 1000).description + (hint.map { ": \($0)" } ?? ""))
    }
}
