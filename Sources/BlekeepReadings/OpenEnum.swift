/// A value of an enum, or a name that the enum lacks. BlueZ, the bus daemon and later versions use other names, too.
package enum OpenEnum<Known>: RawRepresentable, Sendable, Hashable, CustomStringConvertible
where Known: RawRepresentable<String> & Sendable & Hashable {
    case known(Known)
    /// A name that the enum lacks. Create it with `init(rawValue:)`, which checks that.
    case other(String)

    package init(rawValue: String) {
        self = if let known = Known(rawValue: rawValue) { .known(known) } else { .other(rawValue) }
    }

    package var rawValue: String {
        switch self {
        case .known(let known): known.rawValue
        case .other(let name): name
        }
    }

    /// The enum's value; `nil` for a name that the enum lacks.
    package var known: Known? { if case .known(let known) = self { known } else { nil } }

    package var description: String { rawValue }
}

extension CaseIterable where Self: RawRepresentable<String> {
    /// A value that programs match, such as `needs_user`, as words for users: `needs user`.
    package var words: String { rawValue.replacing("_", with: " ") }
}
