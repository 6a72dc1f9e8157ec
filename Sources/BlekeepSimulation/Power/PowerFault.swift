import Blekeep
import DBus
import RunLoop

/// One thing going wrong with a machine's power or sleep, for worlds in which much does.
package enum PowerFault: String, Sendable, CaseIterable {
    /// A sleep, long or short; one that nobody announces; two within 2 s.
    case suspend, suspendUnannounced, suspendTwice
    /// PrepareForSleep without its end, and an end without a beginning.
    case prepareWithoutEnd, endWithoutPrepare
    /// Another program holds the machine up to logind's limit.
    case limitReached
    /// A shutdown that is called off.
    case shutdownCalledOff
    /// The battery takes over with so much as chance has it, and the mains come back.
    case drain
    /// On battery, on mains, every second.
    case flap
    /// Somebody saves power for a while.
    case profile
    /// UPower lies, or is started again; logind is.
    case upowerLies, upowerRestarts, logindRestarts
}

extension SimulatedMachine {
    /// Lets it go wrong now, and be well again after so long.
    package func apply(_ fault: PowerFault, lasting: Duration, using random: inout SplitMix64) {
        func later(_ pause: Duration, _ act: PowerScript.Act) {
            loop.schedule(at: loop.now + pause) { [weak self] in self?.apply(act) }
        }
        switch fault {
        case .suspend: apply(.suspend(lasting * Int.random(in: 1...200, using: &random)))
        case .suspendUnannounced: apply(.suspendUnannounced(lasting + .seconds(2)))
        case .suspendTwice:
            apply(.suspend(.milliseconds(500)))
            later(.milliseconds(1500), .suspend(lasting))
        case .prepareWithoutEnd: apply(.announce(true))
        case .endWithoutPrepare: apply(.announce(false))
        case .limitReached:
            apply(.stubbornProgram(true))
            apply(.suspend(lasting))
            later(.seconds(10), .stubbornProgram(false))
        case .shutdownCalledOff:
            apply(.announceShutdown(true))
            later(min(lasting, .seconds(20)), .announceShutdown(false))
        case .drain:
            apply(.battery(Double.random(in: 1...100, using: &random)))
            later(lasting, .mains(50))
        case .flap:
            for second in 0..<30 { later(.seconds(second), second % 2 == 0 ? .battery(60) : .mains(60)) }
            later(.seconds(30), .mains(60))
        case .profile:
            apply(.profile("power-saver"))
            later(lasting, .profile("balanced"))
        case .upowerLies: apply(.lie)
        case .upowerRestarts: apply(.restartPower(min(lasting, .seconds(30))))
        case .logindRestarts: apply(.restartLogin(min(lasting, .seconds(30))))
        }
    }

    /// Takes everything back that may still be wrong.
    package func heal() {
        apply(.stubbornProgram(false))
        apply(.profile("balanced"))
        apply(.mains(80))
    }
}
