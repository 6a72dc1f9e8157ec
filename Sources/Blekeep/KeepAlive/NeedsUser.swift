import DBus
import RunLoop

/// The points of a device that only a person can help: each is told once, and left alone for a while, or until the
/// device is paired or no longer is.
struct NeedsUser: Sendable {
    private var parked: [ObjectPath: (until: Uptime, wasPaired: Bool)] = [:]

    mutating func park(_ point: ObjectPath, isPaired: Bool, until: Uptime) { parked[point] = (until, isPaired) }

    /// Forgets every other point: BlueZ moves a device's objects to other paths.
    mutating func keep(only points: Set<ObjectPath>) { parked = parked.filter { points.contains($0.key) } }

    /// How many points it remembers.
    var count: Int { parked.count }

    func holds(_ point: ObjectPath, isPaired: @autoclosure () -> Bool, at now: Uptime) -> Bool {
        guard let place = parked[point] else { return false }
        return now < place.until && place.wasPaired == isPaired()
    }

    /// What a person has to do; keys that do not help are told apart from no keys.
    static func failure(_ address: BluetoothAddress, isPaired: Bool) -> ReadingFailure {
        let command = "'blekeep pair \(address)'"
        return ReadingFailure(
            code: "needs_user",
            message: isPaired
                ? "the device does not take the keys of its pairing: run 'blekeep forget \(address)', then \(command)"
                : "this needs pairing: run \(command)")
    }
}
