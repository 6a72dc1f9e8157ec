/// A new configuration for the running keeper.
struct Reconfiguration: Sendable {
    let configuration: PollConfiguration
    let changes: [Roster.Change]
    /// What the store holds of the devices that joined.
    let earlier: EarlierRun.Legacy
}
