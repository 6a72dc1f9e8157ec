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

    /// Whether it means the adapter with this kernel name and this address.
    package func takes(_ name: some StringProtocol, _ address: BluetoothAddress?) -> Bool {
        switch self {
        case .address(let wanted): wanted == address
        case .name(let wanted): wanted == name
        }
    }

    public var description: String {
        switch self {
        case .address(let address): address.description
        case .name(let name): name
        }
    }
}

extension AdapterChoice? {
    /// Whether it means the adapter with this kernel name and this address; no choice means any.
    package func takes(_ name: some StringProtocol, _ address: BluetoothAddress?) -> Bool {
        self?.takes(name, address) ?? true
    }
}
