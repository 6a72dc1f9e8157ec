import BlekeepSimulation
import RunLoop

/// A fault of the machine's power or sleep, for random tests.
package enum PowerFault: String, Sendable, CaseIterable {
    /// A long or a short sleep; one without an announcement; two within 2 s.
    case suspend, suspendUnannounced, suspendTwice
    /// PrepareForSleep without its end, and an end without a beginning.
    case prepareWithoutEnd, endWithoutPrepare
    /// Another program holds the machine up to logind's limit.
    case limitReached
    /// A canceled shutdown.
    case shutdownCalledOff
    /// A time on battery, with a random level.
    case drain
    /// Changes between battery and mains every second.
    case flap
    /// A time with the power-saver profile.
    case profile
    /// UPower reports nonsense or restarts; logind restarts.
    case upowerLies, upowerRestarts, logindRestarts
}

extension SimulatedMachine {
    /// Starts the fault now, and ends it after this time.
    package func apply(_ fault: PowerFault, lasting: Duration, using random: inout SplitMix64) {
        func later(_ pause: Duration, act: PowerScript.Act) {
            loop.schedule(at: loop.now + pause) { [weak self] in self?.apply(act) }
        }
        switch fault {
        case .suspend: apply(.suspend(lasting * Int.random(in: 1...200, using: &random)))
        case .suspendUnannounced: apply(.suspendUnannounced(lasting + .seconds(2)))
        case .suspendTwice:
            apply(.suspend(.milliseconds(500)))
            later(.milliseconds(1500), act: .suspend(lasting))
        case .prepareWithoutEnd: apply(.announce(true))
        case .endWithoutPrepare: apply(.announce(false))
        case .limitReached:
            apply(.stubbornProgram(true))
            apply(.suspend(lasting))
            later(.seconds(10), act: .stubbornProgram(false))
        case .shutdownCalledOff:
            apply(.announceShutdown(true))
            later(min(lasting, .seconds(20)), act: .announceShutdown(false))
        case .drain:
            apply(.battery(Double.random(in: 1...100, using: &random)))
            later(lasting, act: .mains(50))
        case .flap:
            for second in 0..<30 { later(.seconds(second), act: second % 2 == 0 ? .battery(60) : .mains(60)) }
            later(.seconds(30), act: .mains(60))
        case .profile:
            apply(.profile("power-saver"))
            later(lasting, act: .profile("balanced"))
        case .upowerLies: apply(.lie)
        case .upowerRestarts: apply(.restartPower(min(lasting, .seconds(30))))
        case .logindRestarts: apply(.restartLogin(min(lasting, .seconds(30))))
        }
    }

    package func heal() {
        apply(.stubbornProgram(false))
        apply(.profile("balanced"))
        apply(.mains(80))
    }
}
