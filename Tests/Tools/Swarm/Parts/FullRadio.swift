import BlekeepSimulation
import DBus
import RunLoop

/// How often a link is asked of a radio all of whose slots other programs hold: now and then, as their links may end
/// unnoticed, but not as often as that of a radio that has room. Pure: told of each attempt, it says what is wrong.
struct FullRadio: Sendable {
    private var attempts: [ObjectPath: [Uptime]] = [:]

    /// Some attempts with which the keeper finds out, and one every three minutes; twice as many.
    static let most = 20
    static let within: Duration = .seconds(600)

    /// - Parameter isFull: whether all slots are other programs'.
    /// - Returns: what is wrong with it.
    mutating func asked(_ adapter: ObjectPath, isFull: Bool, at now: Uptime) -> String? {
        guard isFull else {
            attempts[adapter] = nil
            return nil
        }
        attempts[adapter, default: []].removeAll { now - $0 > Self.within }
        attempts[adapter, default: []].append(now)
        let count = attempts[adapter, default: []].count
        guard count > Self.most else { return nil }
        attempts[adapter] = nil
        return "\(adapter), whose slots other programs hold, is asked for \(count) links within \(Self.within)"
    }

    /// All is another way now, as a radio was off or bluetoothd is another one.
    mutating func forget() { attempts = [:] }
}

extension World {
    /// Whether all slots have been other programs' for a moment.
    ///
    /// - Parameter isOthers: whether a device's link is one of those.
    func isFull(_ isOthers: (ObjectPath) -> Bool) -> Bool {
        let (links, most) = (connected(for: .seconds(1)), scenario.adapters[0].maxConnections)
        return links.count >= most && links.count(where: isOthers) >= most
    }
}
