/// How a peripheral pairs.
public enum SimulatedPairing: Sendable, Hashable {
    /// Not at all.
    case none
    /// Without anything to type or to compare.
    case justWorks
    /// It shows this passkey, which is to be typed on our side.
    case passkey(UInt32)
    /// Both sides show this number; it always agrees.
    case comparison(UInt32)
    /// It has keys only: the passkey, this one, is shown on our side.
    case keypad(UInt32)

    /// What the two sides do together: what is asked of the agent.
    enum Method: Hashable {
        case justWorks
        case enter(UInt32)
        case compare(UInt32)
        case show(UInt32)
    }

    /// - Parameter capability: our side's, as BlueZ calls it; `nil` when there is no agent.
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

    /// Whether it takes a pairing of this kind: who has something to type or to compare insists on it.
    func takes(_ method: Method) -> Bool {
        switch self {
        case .none: false
        case .justWorks: true
        case .passkey, .comparison, .keypad: method != .justWorks
        }
    }
}
