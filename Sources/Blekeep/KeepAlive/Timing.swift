/// How long things may take on the air; measured on real bluetoothd where the number is odd.
enum Timing {
    static let recently: Duration = .seconds(30)
    /// Who was heard so lately will most likely accept a connection.
    static let justHeard: Duration = .seconds(5)
    /// A link of a paired device that lasts so long has keys that fit.
    static let bondProof: Duration = .seconds(2)
    static let lossesUntilParked = 3
    static let listenAnew: Duration = .seconds(600)
    static let connectHeard: Duration = .seconds(12)
    static let connectUnheard = CallTiming.connect
    /// For a device that was not heard while others want the radio, too.
    static let connectShared: Duration = .seconds(15)
    /// For a device that has failed before, while others want the radio, too.
    static let connectDoubtful: Duration = .seconds(6)
    /// So long an attempt lasts, whoever waits: the kernel tries a device that is heard for 4 s, and ends that no
    /// sooner when the attempt is cancelled.
    static let patience: Duration = .seconds(5)
    /// The same for an attempt ahead of the tick: no longer than most take that succeed.
    static let patienceAhead: Duration = .seconds(1)
    static let afterConnect: Duration = .seconds(5)
    static let afterCancel: Duration = .milliseconds(500)
    /// A link's end may be the first word of an adapter that goes off or a bluetoothd that ends. To connect in that
    /// moment is what makes kernels die (6.1: `list_del corruption` in `hci_chan_del`), and bluetoothd with them; of a
    /// device that only dropped its link, bluetoothd forgets the object then.
    static let afterLoss: Duration = .seconds(1)
    /// An adapter that goes off so soon after links were ended on this machine has ended them: bluetoothd tells of the
    /// links first, and waits for some of them.
    static let sameCause: Duration = .seconds(10)
    /// How long somebody else's attempt is watched.
    static let watch: Duration = .seconds(30)
    /// Other links that end so soon after a new one made room for it.
    static let crowded: Duration = .seconds(3)
    /// Nobody has looked for a device whose connection fails so soon.
    static let prompt: Duration = .seconds(3)
    /// For so long it is remembered that a device ends links by itself.
    static let habit: Duration = .seconds(600)
    static let afterFullSlots: Duration = .seconds(4)
    /// What only a person can help is tried again after this time.
    static let parked: Duration = .seconds(900)
    static let waitsUntilCounted = 4
    /// Values in a row, over all links, that fit nothing of what BlueZ remembers.
    static let misfitsUntilParked = 3
    /// What BlueZ remembers of a device is removed no more often than this.
    static let forgetAgain: Duration = .seconds(86_400)
    /// What another program has subscribed to for itself is asked for again after this time.
    static let subscribeAgain: Duration = .seconds(3600)
    /// Disconnects in a row that changed nothing.
    static let endlessUntilParked = 3
    /// Other programs that end our link so often within this time want the device for themselves.
    static let contention: (ends: Int, within: Duration) = (3, .seconds(600))
    static let resolve = CallTiming.resolve
    static let disconnect = CallTiming.disconnect
    static let read = CallTiming.read
    /// What is subscribed to has so long to say something before the link goes.
    static let firstWord: Duration = .seconds(5)
    /// A read that has begun within the tick's budget may take so much longer: 30 s in all.
    static let beyondBudget: Duration = .seconds(5)
    static let contended: Duration = .seconds(30)
    static let soonAfterHeard: Duration = .seconds(10)
    static let afterRefusedDiscovery: Duration = .milliseconds(1500)
    /// On the last of a battery: enough for what advertises every two seconds.
    static let criticalSearch: Duration = .seconds(5)
    static let beforeActivation: Duration = .seconds(1)
    static let firstActivationPause: Duration = .seconds(5)
    static let longestActivationPause: Duration = .seconds(60)
    /// How long to wait for who else has links, and for a step of recovery.
    static let survey: Duration = .seconds(25)
    static let recovering: Duration = .seconds(60)
    static let worthHolding: Duration = .seconds(60)
    static let relinksPerTick = 1
    /// A finite run gives a tick so long.
    static let finiteTick: Duration = .seconds(60)
    static let finiteOutage: Duration = .seconds(5)
}
