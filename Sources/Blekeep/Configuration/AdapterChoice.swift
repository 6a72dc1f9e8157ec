/// Which local radio.
public enum AdapterChoice: Sendable, Hashable, CustomStringConvertible {
    /// By its own address, which stays the same when radios are plugged in and out.
    case address(BluetoothAddress)
    /// By the kernel's name: `hci` and a number.
    case name(String)

    /// Reads an address or `hci0`. `nil` for anything else.
    public init?(_ text: some StringProtocol) {
        if let address = BluetoothAddress(text) {
            self = .address(address)
            return
        }
        let digits = text.utf8.dropFirst(3)
        guard text.hasPrefix("hci"), 1...5 ~= digits.count, digits.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        self = .name(String(text))
    }

    public var description: String {
        switch self {
        case .address(let address): address.description
        case .name(let name): name
        }
    }
}
