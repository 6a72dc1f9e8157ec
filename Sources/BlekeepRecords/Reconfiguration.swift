/// A new configuration for the running keeper.
package struct Reconfiguration: Sendable {
    package let configuration: PollConfiguration
    package let changes: [Roster.Change]
    /// What the store holds of the devices that joined.
    package let earlier: EarlierRun.Legacy

    package init(configuration: PollConfiguration, changes: [Roster.Change], earlier: EarlierRun.Legacy) {
        self.configuration = configuration
        self.changes = changes
        self.earlier = earlier
    }
}
