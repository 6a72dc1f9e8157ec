import BlekeepBluetooth
import DBus

extension ReadingFailure {
    /// Converts the error of a read. The code is the last part of the D-Bus error's name.
    init(read error: BusError) {
        let name = error.name.split(separator: ".").last.map(String.init) ?? error.name
        let message =
            switch error {
            case .remote(_, let message) where !message.isEmpty: ATTError(error)?.description ?? message
            default: error.description
            }
        self.init(code: OpenEnum(rawValue: name), message: message)
    }
}
