import DBus
import RunLoop

/// The programs that called the service and are still connected to the bus. Signals are sent only while there are any. Pure.
struct ServiceListeners {
    /// The names of connections; the daemon never gives one twice.
    private(set) var names: [BusName] = []
    /// When to ask the daemon which of them are still connected.
    private(set) var nextCheck = Uptime.never

    static let maxListeners = 32
    static let pause: Duration = .seconds(300)

    var isEmpty: Bool { names.isEmpty }

    /// Takes a call. When there are too many programs, the oldest makes room.
    mutating func heard(_ sender: BusName, at now: Uptime) {
        if names.contains(sender) { return }
        if names.isEmpty { nextCheck = now + Self.pause }
        if names.count == Self.maxListeners { names.removeFirst() }
        names.append(sender)
    }

    /// Begins a check.
    mutating func check(at now: Uptime) -> [BusName] {
        nextCheck = now + Self.pause
        return names
    }

    /// Removes a program that has left the bus.
    mutating func left(_ name: BusName) {
        names.removeAll { $0 == name }
        if names.isEmpty { nextCheck = .never }
    }
}
