/// How long things may take on the air; measured on real bluetoothd where the number is odd.
enum Timing {
    static let recently: Duration = .seconds(30)
    static let connectHeard: Duration = .seconds(12)
    static let connectUnheard: Duration = .seconds(45)
    /// For a device that was not heard while others want the radio, too.
    static let connectShared: Duration = .seconds(15)
    static let afterConnect: Duration = .seconds(5)
    static let resolve: Duration = .seconds(30)
    static let disconnect: Duration = .seconds(10)
    static let read: Duration = .seconds(10)
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
    static let worthHolding: Duration = .seconds(60)
    static let relinksPerTick = 1
    /// A finite run gives a tick so long.
    static let finiteTick: Duration = .seconds(60)
    static let finiteOutage: Duration = .seconds(5)
}
