import DBus

extension ReadingFailure {
    /// Why a read failed: D-Bus's own name for it, without the words that all of them begin with.
    init(read error: BusError) {
        let name = error.name.split(separator: ".").last.map(String.init) ?? error.name
        let message =
            switch error {
            case .remote(_, let message) where !message.isEmpty: message
            default: error.description
            }
        self.init(code: OpenEnum(rawValue: name), message: message)
    }
}
