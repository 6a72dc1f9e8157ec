/// How a peripheral behaves at the moment. Good by default; a fault changes one thing.
public struct PeripheralBehavior: Sendable, Hashable {
    /// What becomes of an attempt to connect while the peripheral is in range.
    public enum Connecting: Sendable, Hashable {
        case well
        /// It advertises but never accepts: the kernel gives up after 4 s, and BlueZ answers nothing.
        case deaf
        /// Nothing happens, and nothing is answered.
        case hanging
        /// The connection comes up, but Connect is never answered.
        case unanswered
        /// The connection comes up and Connect is answered, but nobody is told that the device is connected.
        case untold
        /// Connect is answered, but there is no connection.
        case hollow
        /// BlueZ answers with `org.bluez.Error.Failed` and this text.
        case failing(String)
    }

    /// What becomes of a read.
    public enum Reading: Sendable, Hashable {
        case well
        /// No answer; after 29 s the connection is dropped.
        case mute
        /// The ATT error with this code.
        case error(UInt8)
    }

    /// What becomes of an attempt to pair.
    public enum Pairing: Sendable, Hashable {
        case well
        case rejecting
        /// No answer; both sides give up after 30 s.
        case mute
        /// The connection ends in the middle of it.
        case dropping
    }

    /// In range for a while, out of range for another, and so on.
    public struct Nap: Sendable, Hashable {
        public var there: Duration
        public var away: Duration

        public init(there: Duration, away: Duration) {
            self.there = there
            self.away = away
        }
    }

    public var isInRange = true
    public var connecting = Connecting.well
    public var reading = Reading.well
    public var pairing = Pairing.well
    /// How long it takes to answer one request.
    public var latency = Duration.milliseconds(20)
    /// How long a connection lasts before the peripheral ends it; `nil`: as long as wanted.
    public var dropsAfter: Duration?
    public var nap: Nap?
    /// Whether discovering its services ever comes to an end.
    public var resolves = true
    /// Whether connections that come up get stuck at that for as long as they last, however it behaves later.
    public var strands = false
    /// Whether BlueZ takes a connection that is up to be so for ever, whatever happens, and nothing comes through it.
    public var isZombie = false

    public init() {}
}
