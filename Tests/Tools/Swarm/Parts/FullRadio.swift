import BlekeepSimulation
import DBus
import RunLoop

/// Checks the attempts on an adapter whose slots all belong to other programs. The poller may try now and then, because
/// their connections may end unnoticed, but less often than on an adapter with a free slot. Pure.
struct FullRadio: Sendable {
    private var attempts: [ObjectPath: [Uptime]] = [:]

    /// The most attempts: twice the expected ones, which are a few to learn the limit, and one every three minutes.
    static let most = 20
    static let within: Duration = .seconds(600)

    /// Takes an attempt.
    ///
    /// - Parameter isFull: whether all slots belong to other programs.
    /// - Returns: the violation, if there were too many.
    mutating func attempt(_ adapter: ObjectPath, isFull: Bool, at now: Uptime) -> String? {
        guard isFull else {
            attempts[adapter] = nil
            return nil
        }
        attempts[adapter, default: []].removeAll { now - $0 > Self.within }
        attempts[adapter, default: []].append(now)
        let count = attempts[adapter, default: []].count
        guard count > Self.most else { return nil }
        attempts[adapter] = nil
        return "\(count) attempts within \(Self.within) on \(adapter), whose slots belong to other programs"
    }

    /// Forgets all attempts, because an adapter was off or bluetoothd restarted.
    mutating func forget() { attempts = [:] }
}

extension World {
    /// Returns whether all slots have belonged to other programs for a second.
    ///
    /// - Parameter isOthers: returns whether a device's connection belongs to another program.
    func isFull(_ isOthers: (ObjectPath) -> Bool) -> Bool {
        let (links, most) = (connected(for: .seconds(1)), scenario.adapters[0].maxConnections)
        return links.count >= most && links.count(where: isOthers) >= most
    }
}
