import Blekeep
import BlekeepSimulation
import DBus
import RunLoop

/// What S8 do-no-harm allows of acts that may hurt others: only what the configuration says, not too often, and never
/// while other programs have links. Pure: told of each act, it says what is wrong with it.
struct RepairRules: Sendable {
    let allowed: Set<RecoveryStep>
    /// How many acts there were.
    private(set) var acts = 0
    private var last: [Act: Uptime] = [:]
    private var switchedOff: Set<ObjectPath> = []

    /// Something that may hurt others, and to what.
    enum Act: Sendable, Hashable {
        case switchOff(ObjectPath)
        case switchOn(ObjectPath)
        case restart
        /// A device, with whether it is paired.
        case remove(ObjectPath)
        case preferLowEnergy(ObjectPath)
        /// Anything else that is set.
        case set(String)

        /// What a call of Set comes to.
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

    /// - Parameters:
    ///   - links: those of other programs that have been up for a moment.
    ///   - isPaired: whether the act's device is.
    ///   - isHung: whether bluetoothd answers nothing, so that nobody can know of links.
    /// - Returns: what is wrong with it.
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
        // Whoever has switched it off may do so again and again, until it is on.
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
