/// A field in the layout of a characteristic.
package struct Field: Sendable, Hashable {
    /// Empty for bytes without a meaning.
    package var name: String
    package var type: FieldType
    /// Whether the field repeats until the bytes end; its value is then a list.
    package var repeats = false
    package var scale = Scale()
    /// The symbol of the unit after scaling.
    package var unit: String?
    /// The numbers before scaling that stand for a word, such as `unknown`.
    package internal(set) var states: [State] = []
    /// The range that the definition allows, before scaling.
    var limits: ClosedRange<Int64>?
    package var presence = Presence.always

    package init(name: String, type: FieldType, repeats: Bool = false) {
        self.name = name
        self.type = type
        self.repeats = repeats
    }

    /// Returns a field for bytes without a meaning.
    package static func skip(bytes: Int) -> Field { Field(name: "", type: .hex(bytes: bytes)) }

    /// The number of decimals that show each step; `nil` for whole numbers, and for what isn't an integer in the bytes.
    var decimals: Int? { type.isInteger && scale.decimals > 0 ? scale.decimals : nil }

    /// Gives a number the meaning of a word. Hexadecimal digits are those of the bytes: 0x80 of a `sint8` is -128.
    /// Returns whether `number` is a number.
    package mutating func add(state word: String, of number: Substring) -> Bool {
        guard let raw = raw(number) else { return false }
        states.append(State(raw: raw, word: word))
        return true
    }

    /// A number that stands for a word.
    package struct State: Sendable, Hashable {
        package var raw: Int64
        package var word: String
    }

    /// The condition on which a field is present.
    package enum Presence: Sendable, Hashable {
        case always
        case ifBytesAreLeft
        /// When the field `field_selector` has this value.
        case ifSelected(Int64)
        /// When these bits of the field `flags` or `presence_flags` have this value.
        case ifFlags(mask: UInt64, value: UInt64)
    }

    /// Returns the word that an integer stands for; `nil` when it is a number.
    func state(of raw: Int64) -> String? {
        for index in states.indices where states[index].raw == raw { return states[index].word }
        guard let limits, !limits.contains(raw) else { return nil }
        return "prohibited"
    }
}
