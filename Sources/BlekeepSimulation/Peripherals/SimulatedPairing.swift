/// The pairing method of a peripheral.
public enum SimulatedPairing: Sendable, Hashable {
    /// It doesn't pair.
    case none
    /// It needs no passkey and no comparison.
    case justWorks
    /// It shows this passkey, and the user types it on the machine.
    case passkey(UInt32)
    /// Both sides show this number. The peripheral always confirms it.
    case comparison(UInt32)
    /// It has only keys. The machine shows this passkey.
    case keypad(UInt32)

    /// The method of both sides together, which determines the request to the agent.
    enum Method: Hashable {
        case justWorks
        case enter(UInt32)
        case compare(UInt32)
        case show(UInt32)
    }

    /// - Parameter capability: the machine's, in BlueZ's words; `nil` without an agent.
    func method(with capability: String?) -> Method {
        let hasKeys = ["KeyboardOnly", "KeyboardDisplay", ""].contains(capability)
        let hasDisplay = ["DisplayOnly", "DisplayYesNo", "KeyboardDisplay", ""].contains(capability)
        let canCompare = ["DisplayYesNo", "KeyboardDisplay", ""].contains(capability)
        switch self {
        case .passkey(let number): return hasKeys ? .enter(number) : .justWorks
        case .comparison(let number):
            if canCompare { return .compare(number) }
            return hasKeys ? .enter(number) : .justWorks
        case .keypad(let number): return hasDisplay ? .show(number) : .justWorks
        case .none, .justWorks: return .justWorks
        }
    }

    /// Returns whether it accepts this method. A peripheral with a passkey or a comparison insists on it.
    func accepts(_ method: Method) -> Bool {
        switch self {
        case .none: false
        case .justWorks: true
        case .passkey, .comparison, .keypad: method != .justWorks
        }
    }
}
