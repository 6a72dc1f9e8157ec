/// Whether the machine decides how much to save, or a person does.
package enum PowerChoice: String, Sendable, Hashable, CaseIterable {
    case auto
    case normal
    case low
}
