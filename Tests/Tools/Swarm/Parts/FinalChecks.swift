import Blekeep
import BlekeepSimulation
import RunLoop

/// The checks at the end of a run, of guarantees about the whole run.
struct FinalChecks {
    let setting: SwarmSetting
    let witness: Witness
    let glances: Glances

    /// The longest time to disconnect everything before a sleep.
    private static let lettingGo: Duration = .seconds(1)

    func run(refusals: Int, _ machine: SimulatedMachine) {
        if refusals > 0 { witness.violate(.limits, "the bus refused \(refusals) calls or rules") }
        checkWaits()
        checkSleeps(machine)
        for what in PowerInvariants.syncs(witness.kept.commits, extra: 6 * 60) { witness.violate(.sparse, what) }
        checkTicks()
        for what in PowerInvariants.mode(glances.modes, machine.demands, doubts: machine.doubts) {
            witness.violate(.mode, what)
        }
    }

    /// L2 fair: a device waits for a slot only as long as the turns of the others take.
    private func checkWaits() {
        let slots = min(setting.configuration.maxLinks, setting.scenario.adapters[0].maxConnections)
        // One more turn, because no device could be reached for a short time.
        let devices = SwarmSetting.devices + (setting.guest == nil ? 0 : 1)
        let turns = (devices + slots - 1) / slots + 2
        let longest = setting.configuration.interval * turns
        for peripheral in setting.scenario.peripherals.prefix(SwarmSetting.devices) {
            let wait = witness.kept.accounts[peripheral.address]?.longestWait ?? .seconds(1 << 40)
            if wait > longest { witness.violate(.fair, "\(peripheral.name) waited \(wait) for its turn") }
        }
    }

    /// S10 flush and S16 yield: before a sleep, the poller writes everything soon.
    private func checkSleeps(_ machine: SimulatedMachine) {
        let refusals = witness.kept.refusals
        let sleeps = machine.login.delays.filter { $0.locks > 0 }.map {
            ($0.begin, $0.begin + min($0.waited, .seconds(1)))
        }.filter { begin, released in
            // On a full disk, an attempt to write is enough, and a sleep doesn't wait for a slow one.
            !refusals.contains { $0 >= begin && $0 <= released }
                && !witness.kept.slowWrites.contains { $0.begin <= released && begin <= $0.end }
                && !isDying(begin, released)
        }
        for what in PowerInvariants.flush(sleeps, witness.kept.commits) { witness.violate(.flush, what) }
        for delay in machine.login.delays
        where delay.held > Self.lettingGo && !isDying(delay.begin, delay.begin + delay.held) {
            witness.violate(.yield, "the sleep at \(delay.begin) was held up for \(delay.held)")
        }
    }

    /// Whether a run was killed between these times. It writes nothing, and what is left of it holds its lock a while longer
    /// than a process would.
    private func isDying(_ begin: Uptime, _ end: Uptime) -> Bool {
        witness.deaths.contains { $0.begin <= end && begin <= $0.end }
    }

    /// S13 sparse: no device is read more often than the power mode allows.
    private func checkTicks() {
        let usual = glances.intervals(of: setting.configuration.interval)
        for (device, account) in witness.kept.accounts.sorted(by: { $0.key < $1.key }) {
            let intervals = witness.configured.map { glances.intervals(of: $0.intervals(of: device)) } ?? usual
            for what in PowerInvariants.sparse(account.ticks, intervals, late: SwarmLife.glance) {
                witness.violate(.sparse, "\(device): \(what)")
            }
        }
    }
}
