/// One field of a characteristic's value.
package struct Field: Sendable, Hashable {
    var name: String
    var type: FieldType
    /// The field comes again and again until the octets end; its value is a list.
    var repeats = false
    var scale = Scale()
    /// The symbol of the unit after scaling.
    var unit: String?
    /// Numbers, before scaling, that are none: they say so.
    var states: [State] = []
    /// What the definition allows, before scaling.
    var limits: ClosedRange<Int64>?
    var presence = Presence.always

    /// A number that is none, and what it says instead.
    package struct State: Sendable, Hashable {
        var raw: Int64
        var word: String
    }

    /// When a field is there.
    enum Presence: Sendable, Hashable {
        case always
        case ifOctetsAreLeft
        /// When the field `field_selector` has this value.
        case ifSelected(Int64)
        /// When these bits of the field `flags` or `presence_flags` have this value.
        case ifFlags(mask: UInt64, value: UInt64)
    }

    /// The word for an integer that has none but a word, or `nil`.
    func state(of raw: Int64) -> String? {
        for state in states where state.raw == raw { return state.word }
        guard let limits, !limits.contains(raw) else { return nil }
        return "prohibited"
    }
}
