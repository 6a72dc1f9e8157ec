/// The value of a setting, which YAML and JSON write differently.
package enum SettingValue: Sendable, Hashable, ExpressibleByStringInterpolation {
    case text(String)
    case number(Int)
    case flag(Bool)
    case words([String])
    /// A mapping on one line of YAML.
    case mapping(String)

    package init(stringLiteral text: String) { self = .text(text) }
}
