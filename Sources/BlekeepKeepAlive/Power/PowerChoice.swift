/// The power mode in the configuration; `auto` follows the machine.
package enum PowerChoice: String, Sendable, Hashable, CaseIterable {
    case auto
    case normal
    case low
}
