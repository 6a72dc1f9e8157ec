/// One field of a characteristic's value.
package struct Field: Sendable, Hashable {
    /// Empty for octets that mean nothing.
    package var name: String
    package var type: FieldType
    /// The field comes again and again until the octets end; its value is a list.
    package var repeats = false
    package var scale = Scale()
    /// The symbol of the unit after scaling.
    package var unit: String?
    /// Numbers, before scaling, that are none: they say so.
    var states: [State] = []
    /// What the definition allows, before scaling.
    var limits: ClosedRange<Int64>?
    package var presence = Presence.always
    /// Whether the presence of another field depends on this one.
    package var isRemembered = false

    package init(name: String, type: FieldType, repeats: Bool = false) {
        self.name = name
        self.type = type
        self.repeats = repeats
    }

    /// So many octets that mean nothing.
    package static func skip(octets: Int) -> Field { Field(name: "", type: .hex(octets: octets)) }

    /// Gives a number a meaning of its own. Whether it could be read: hex digits are those of the octets, so 0x80 of a
    /// `sint8` is -128.
    package mutating func add(state word: String, of number: Substring) -> Bool {
        guard let raw = raw(number) else { return false }
        states.append(State(raw: raw, word: word))
        return true
    }

    /// A number that is none, and what it says instead.
    package struct State: Sendable, Hashable {
        var raw: Int64
        var word: String
    }

    /// Something that an earlier field says: these bits of it have this value.
    package struct Condition: Sendable, Hashable {
        package var field: String
        package var mask: UInt64
        package var value: UInt64

        package init(field: String, mask: UInt64, value: UInt64) {
            self.field = field
            self.mask = mask
            self.value = value
        }
    }

    /// When a field is there.
    package enum Presence: Sendable, Hashable {
        case always
        case ifOctetsAreLeft
        /// When the field `field_selector` has this value.
        case ifSelected(Int64)
        /// When all these are so.
        case ifFields([Condition])
        /// When these bits of the field `flags` or `presence_flags` have this value.
        case ifFlags(mask: UInt64, value: UInt64)
    }

    /// The word for an integer that has none but a word, or `nil`.
    func state(of raw: Int64) -> String? {
        for place in states.indices where states[place].raw == raw { return states[place].word }
        guard let limits, !limits.contains(raw) else { return nil }
        return "prohibited"
    }
}
