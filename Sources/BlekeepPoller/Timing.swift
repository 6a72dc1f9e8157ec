/// The deadlines and pauses of the poller. Uneven numbers were measured with a real bluetoothd.
enum Timing {
    static let recently: Duration = .seconds(30)
    /// A device's name or services may come this long after its data.
    static let lateName: Duration = .seconds(10)
    /// A device that blekeep heard within this time is likely to accept a connection.
    static let justHeard: Duration = .seconds(5)
    /// A device that another gateway reads counts as heard for this long.
    static let heardOnStandby: Duration = .seconds(60)
    /// A connection of a paired device that lasts this long proves matching keys.
    static let bondProof: Duration = .seconds(2)
    static let lossesUntilUserNeeded = 3
    /// How long blekeep looks for a device without a pause before it takes it for gone. Some send every ten minutes.
    static let soughtOpenly: Duration = .seconds(3600)
    /// How long discovery may be on while monitors hear the devices, and how often, for values that only scan responses have.
    static let window: Duration = .seconds(10)
    static let betweenWindows: Duration = .seconds(300)
    static let listenRestart: Duration = .seconds(600)
    static let connectHeard: Duration = .seconds(12)
    static let connectUnheard = CallTiming.connect
    /// For a device that blekeep hasn't heard recently, while other devices share the adapter.
    static let connectShared: Duration = .seconds(15)
    /// While devices that only advertise share the adapter.
    static let connectBesideListening: Duration = .seconds(10)
    /// For a device that failed before, while devices take turns.
    static let connectDoubtful: Duration = .seconds(6)
    /// The minimum time of an attempt, even if other devices wait. The kernel tries for 4 s, even after a cancellation.
    static let minimumAttempt: Duration = .seconds(5)
    /// The minimum time of an attempt before its tick, about as long as most successful attempts.
    static let minimumAttemptAhead: Duration = .seconds(1)
    static let afterConnect: Duration = .seconds(5)
    static let afterCancel: Duration = .milliseconds(500)
    /// The pause after a lost connection. It may be the first sign that the adapter or bluetoothd stops. Connecting then
    /// crashes some kernels (6.1: `list_del corruption` in `hci_chan_del`), and bluetoothd with them.
    static let afterLoss: Duration = .seconds(1)
    /// Connections that ended within this time before an adapter stopped have the same cause. bluetoothd reports the
    /// connections first.
    static let sameCause: Duration = .seconds(10)
    /// How long blekeep waits for another program's attempt.
    static let watch: Duration = .seconds(30)
    /// If a connection ends within this time after a new one, the adapter may have dropped it to make room.
    static let crowded: Duration = .seconds(3)
    /// An attempt that fails within this time failed at the adapter, not at the device.
    static let prompt: Duration = .seconds(3)
    /// How long blekeep remembers that a device ends connections by itself.
    static let habit: Duration = .seconds(600)
    /// The pause of a device that only the user can help.
    static let waitForUser: Duration = .seconds(900)
    /// How many consecutive attempts may end with the remedy `wait` before they count as failures of the device.
    static let waitsUntilCounted = 4
    /// The number of consecutive values, across connections, that don't match BlueZ's cache.
    static let misfitsUntilUserNeeded = 3
    /// The shortest time between two removals of a device from BlueZ's cache.
    static let forgetAgain: Duration = .seconds(86_400)
    /// The pause before the next subscription to a characteristic whose notifications another program has for itself.
    static let subscribeAgain: Duration = .seconds(3600)
    /// The number of consecutive disconnects without effect.
    static let endlessUntilUserNeeded = 3
    /// The time after which a battery level of 0 % is one. See `PollMachine.level`.
    static let emptyBattery: Duration = .seconds(10)
    /// The number of connections that other programs ended within a time, which shows that they want the device.
    static let contention: (ends: Int, within: Duration) = (3, .seconds(600))
    static let resolve = CallTiming.resolve
    static let disconnect = CallTiming.disconnect
    static let read = CallTiming.read
    /// The time for the first value of a subscription before a disconnect.
    static let firstValue: Duration = .seconds(5)
    /// The time after the tick's budget for a read that began within it: 30 s in all.
    static let beyondBudget: Duration = .seconds(5)
    /// The time after which a poll counts as hung. Its reads end within 30 s, and the last writes of a conversation soon after.
    static let poll: Duration = .seconds(60)
    static let soonAfterHeard: Duration = .seconds(10)
    /// How long a search that BlueZ accepted may be off. bluetoothd pauses for 5 s between two rounds of a search, and for 10 s
    /// after a round that the kernel refused (`IDLE_DISCOV_TIMEOUT` in src/adapter.c of 5.87); most versions say Discovering
    /// all the while.
    static let discoveryGap: Duration = .seconds(12)
    static let afterRefusedDiscovery: Duration = .milliseconds(1500)
    static let maxDiscoveryPause: Duration = .seconds(60)
    /// The longest search in critical power mode, enough for a device that advertises every two seconds.
    static let criticalSearch: Duration = .seconds(5)
    /// How long trouble lasts before the log has it, if it was there from the start. bluetoothd may start a little later.
    static let beforeFirstReport: Duration = .seconds(5)
    static let firstBusPause: Duration = .milliseconds(500)
    static let maxBusPause: Duration = .seconds(30)
    /// How long the bus or bluetoothd must be there until the next loss counts as the first one.
    static let lasting: Duration = .seconds(120)
    static let beforeActivation: Duration = .seconds(1)
    static let firstActivationPause: Duration = .seconds(5)
    static let maxActivationPause: Duration = .seconds(60)
    /// The deadlines for a count of other programs' connections, and for a recovery step.
    static let linkCount: Duration = .seconds(25)
    static let recovering: Duration = .seconds(60)
    static let worthHolding: Duration = .seconds(60)
    static let relinksPerTick = 1
    /// The longest tick of a one-off run.
    static let oneOffTick: Duration = .seconds(60)
    static let oneOffOutage: Duration = .seconds(5)
}
