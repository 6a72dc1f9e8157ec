import Blekeep

extension BluetoothError {
    /// The failure as a sentence for users of the program. It names the command that pairs the device, if that helps.
    func sentence(about device: BluetoothAddress) -> String {
        code == .pairing ? "\(description): run 'blekeep pair \(device)'" : description
    }
}
