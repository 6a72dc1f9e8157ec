/// A key of a live screen.
enum KeyPress: Equatable {
    case up, down, pageUp, pageDown, home, end
    /// Leaves the screen, as Ctrl-C does.
    case quit
}

/// Decides which keys the bytes from a terminal are. An escape sequence may come in pieces. Pure.
struct KeyDecider {
    private enum State {
        case text
        case escape
        /// After `ESC O`.
        case short
        /// After `ESC [`, with the parameters so far.
        case long([UInt8])
    }

    private var state = State.text

    /// The most bytes of parameters. A longer sequence is no key.
    private static let longest = 16

    private static let letters: [UInt8: KeyPress] = [
        UInt8(ascii: "A"): .up, UInt8(ascii: "B"): .down, UInt8(ascii: "H"): .home, UInt8(ascii: "F"): .end,
    ]
    /// The numbers before `~`. Terminals differ in Home and End.
    private static let numbers: [String: KeyPress] = [
        "1": .home, "4": .end, "5": .pageUp, "6": .pageDown, "7": .home, "8": .end,
    ]

    mutating func keys(in bytes: some Sequence<UInt8>) -> [KeyPress] { bytes.compactMap { key(after: $0) } }

    private mutating func key(after byte: UInt8) -> KeyPress? {
        switch (state, byte) {
        case (_, 0x1B): state = .escape
        case (.escape, UInt8(ascii: "[")): state = .long([])
        case (.escape, UInt8(ascii: "O")): state = .short
        case (.short, _):
            state = .text
            return Self.letters[byte]
        case (.long(let parameters), 0x20...0x3F):
            state = parameters.count < Self.longest ? .long(parameters + [byte]) : .text
        case (.long(let parameters), 0x40...0x7E):
            state = .text
            return Self.key(parameters, last: byte)
        case (.text, UInt8(ascii: "q")), (.escape, UInt8(ascii: "q")):
            state = .text
            return .quit
        default: state = .text
        }
        return nil
    }

    /// A modifier such as Shift comes after a semicolon, and changes nothing.
    private static func key(_ parameters: [UInt8], last: UInt8) -> KeyPress? {
        guard last == UInt8(ascii: "~") else { return letters[last] }
        return numbers[String(decoding: parameters.prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self)]
    }
}
