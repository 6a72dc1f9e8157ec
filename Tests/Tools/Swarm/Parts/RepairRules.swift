import Blekeep
import BlekeepSimulation
import DBus
import RunLoop

/// Checks repairs, which may disturb other programs, by S8 do-no-harm: only as configured, not too often, and never while
/// other programs have connections. Pure.
struct RepairRules: Sendable {
    let allowed: Set<RecoveryStep>
    /// The number of repairs.
    private(set) var acts = 0
    private var last: [Act: Uptime] = [:]
    private var switchedOff: Set<ObjectPath> = []

    /// A repair and its object.
    enum Act: Sendable, Hashable {
        case switchOff(ObjectPath)
        case switchOn(ObjectPath)
        case restart
        /// Removes a device.
        case remove(ObjectPath)
        case preferLowEnergy(ObjectPath)
        /// Sets another property.
        case set(String)

        /// Returns the repair of a call of Set.
        static func setting(_ call: MethodCall) -> Act {
            let name = call.arguments.count == 3 ? String(call.arguments[1]) ?? "" : ""
            let content = call.arguments.last.flatMap { Variant($0)?.content }
            switch (name, content.flatMap { Bool($0) }) {
            case (Adapter1.powered.name.text, false?): return .switchOff(call.path)
            case (Adapter1.powered.name.text, true?): return .switchOn(call.path)
            case (Device1.preferredBearer.name.text, nil): return .preferLowEnergy(call.path)
            default: return .set("\(name) of \(call.path)")
            }
        }
    }

    init(_ allowed: Set<RecoveryStep>) {
        self.allowed = allowed
    }

    /// Takes the start of another run, which doesn't know what the run before it repaired.
    mutating func newRun() { last = [:] }

    /// - Parameters:
    ///   - links: the connections of other programs that are older than a second.
    ///   - isPaired: whether the device is paired.
    ///   - isHung: whether bluetoothd hangs, so that the poller can't know the connections.
    /// - Returns: the violation.
    mutating func take(
        _ act: Act, at now: Uptime, links: [ObjectPath], isPaired: Bool = false, isHung: Bool = false
    ) -> String? {
        acts += 1
        defer { last[act] = now }
        switch act {
        case .switchOff(let path):
            switchedOff.insert(path)
            if links.contains(where: { $0.parent == path }) { return "\(path) is switched off under a foreign link" }
            return flaw(act, .powerCycle, every: .seconds(600), now)
        // After the poller turned it off, it may repeat turning it on.
        case .switchOn(let path):
            return switchedOff.contains(path) ? nil : "\(path) is switched on, and was not switched off by us"
        case .restart:
            if !isHung, !links.isEmpty { return "bluetoothd is restarted under a foreign link" }
            return flaw(act, .restartBluetooth, every: .seconds(1800), now)
        case .remove(let path):
            if isPaired { return "the paired \(path) is removed" }
            if links.contains(path) { return "\(path) is removed under a foreign link" }
            return flaw(act, .forgetStale, every: .seconds(86_400), now)
        case .preferLowEnergy: return flaw(act, .preferLowEnergy, every: .seconds(86_400), now)
        case .set(let what): return "\(what) is set"
        }
    }

    private func flaw(_ act: Act, _ step: RecoveryStep, every pause: Duration, _ now: Uptime) -> String? {
        guard allowed.contains(step) else { return "\(act), which is not allowed" }
        guard let before = last[act], now - before < pause else { return nil }
        return "\(act) again after \(now - before)"
    }
}
