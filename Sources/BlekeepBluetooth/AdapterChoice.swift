/// The choice of a local Bluetooth adapter.
///
/// ```swift
/// let central = try await Central(adapter: AdapterChoice("hci1"))
/// ```
public enum AdapterChoice: Sendable, Hashable, CustomStringConvertible {
    /// The adapter with this address, which it keeps when adapters are plugged in and out. BlueZ: `Adapter1.Address`.
    case address(BluetoothAddress)
    /// The adapter with this kernel name: `hci` and a number.
    case name(String)

    /// Reads an address or a name such as `hci0`; `nil` for other text.
    public init?(_ text: some StringProtocol) {
        if let address = BluetoothAddress(text) {
            self = .address(address)
            return
        }
        let digits = text.utf8.dropFirst(3)
        guard text.hasPrefix("hci"), 1...5 ~= digits.count, digits.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        self = .name(String(text))
    }

    /// Whether the adapter has this kernel name or this address.
    package func matches(_ name: some StringProtocol, address: BluetoothAddress?) -> Bool {
        switch self {
        case .address(let chosen): chosen == address
        case .name(let chosen): chosen == name
        }
    }

    /// The address or the name.
    public var description: String {
        switch self {
        case .address(let address): address.description
        case .name(let name): name
        }
    }
}

extension AdapterChoice? {
    /// Whether the adapter has this kernel name or this address. Without a choice, every adapter matches.
    package func matches(_ name: some StringProtocol, address: BluetoothAddress?) -> Bool {
        self?.matches(name, address: address) ?? true
    }
}

extension BluetoothError {
    /// The machine has none of the adapters that the user chose, or none at all.
    package static func noAdapter(_ choice: AdapterChoice?, among names: [String]) -> BluetoothError {
        let what = choice.map { "no Bluetooth adapter \($0)" } ?? "no Bluetooth adapter"
        let others = names.isEmpty ? "" : "; there is \(names.joined(separator: ", "))"
        return BluetoothError(.noAdapter, "there is \(what)\(others)")
    }
}
