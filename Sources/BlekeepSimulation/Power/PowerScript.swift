/// A script of a machine's power and sleep.
public struct PowerScript: Sendable, Hashable {
    public enum Act: Sendable, Hashable {
        /// On battery, with this level in percent.
        case battery(Double)
        /// On mains, with this battery level in percent.
        case mains(Double)
        /// There is no battery.
        case noBattery
        /// A user sets the profile of power-profiles-daemon.
        case profile(String)
        /// The machine sleeps for this long, after logind's delay locks.
        case suspend(Duration)
        /// The machine sleeps without an announcement. Only in virtual time.
        case suspendUnannounced(Duration)
        /// logind announces a sleep or its end, without a sleep.
        case announce(Bool)
        /// logind announces a shutdown or its end.
        case announceShutdown(Bool)
        /// Another program takes a delay lock, or releases it.
        case stubbornProgram(Bool)
        /// UPower and power-profiles-daemon crash, and restart after this time.
        case restartPower(Duration)
        /// logind crashes, and restarts after this time.
        case restartLogin(Duration)
        /// UPower briefly reports 0 % and a critical battery after a change.
        case lie
    }

    public struct Step: Sendable, Hashable {
        /// The time since the start.
        public var after: Duration
        public var act: Act

        public init(after: Duration, _ act: Act) {
            self.after = after
            self.act = act
        }
    }

    /// The power supply at the start.
    public var start: Act
    public var steps: [Step]

    public init(start: Act = .mains(80), steps: [Step] = []) {
        self.start = start
        self.steps = steps
    }

    // MARK: Scripts

    /// A battery drains from 100 % to 3 %, 1 % every five seconds. Then mains power returns.
    public static let overnight = PowerScript(
        start: .battery(100),
        steps: (1...97).map { Step(after: .seconds(5 * $0), .battery(Double(100 - $0))) }
            + [Step(after: .seconds(495), .mains(3))])

    /// Mains power fails after 20 s, and returns a minute later.
    public static let unplugged = PowerScript(
        steps: [Step(after: .seconds(20), .battery(80)), Step(after: .seconds(80), .mains(79))])

    /// A user sets the power-saver profile after 20 s, and balanced a minute later.
    public static let profile = PowerScript(
        steps: [Step(after: .seconds(20), .profile("power-saver")), Step(after: .seconds(80), .profile("balanced"))])

    /// The machine sleeps for these times, a minute apart.
    public static func sleeps(_ lengths: [Duration]) -> PowerScript {
        var script = PowerScript()
        var moment = Duration.seconds(20)
        for length in lengths {
            script.steps.append(Step(after: moment, .suspend(length)))
            moment += length + .seconds(60)
        }
        return script
    }

    /// Faulty sleeps: twice within 2 s, announced without an end, ended without a beginning, delayed up to the limit, and a
    /// crash of logind.
    public static let restless = PowerScript(steps: [
        Step(after: .seconds(20), .suspend(.milliseconds(500))),
        Step(after: .milliseconds(21_500), .suspend(.seconds(5))),
        Step(after: .seconds(60), .announce(true)), Step(after: .seconds(150), .announce(false)),
        Step(after: .seconds(200), .stubbornProgram(true)), Step(after: .seconds(201), .suspend(.seconds(5))),
        Step(after: .seconds(220), .stubbornProgram(false)), Step(after: .seconds(250), .restartLogin(.seconds(10))),
        Step(after: .seconds(300), .announceShutdown(true)), Step(after: .seconds(303), .announceShutdown(false)),
    ])

    /// A UPower that crashes, reports nonsense, and changes often.
    public static let fickle = PowerScript(
        start: .battery(50),
        steps: [Step(after: .seconds(20), .lie), Step(after: .seconds(40), .restartPower(.seconds(3)))]
            + (0..<40).map { Step(after: .seconds(90 + $0), $0 % 2 == 0 ? .mains(50) : .battery(50)) })
}
