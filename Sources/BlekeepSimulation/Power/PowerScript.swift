/// What happens to a machine's power and sleep, step by step.
public struct PowerScript: Sendable, Hashable {
    public enum Act: Sendable, Hashable {
        /// On the battery, with so many percent left.
        case battery(Double)
        /// On mains, with so many percent in the battery.
        case mains(Double)
        /// There is no battery.
        case noBattery
        /// Somebody switches the profile of power-profiles-daemon.
        case profile(String)
        /// The machine sleeps for so long, after logind's delay locks.
        case suspend(Duration)
        /// It sleeps without anybody being told; in virtual time only.
        case suspendUnannounced(Duration)
        /// logind announces a sleep or its end, and nothing follows.
        case announce(Bool)
        /// The same of a shutdown.
        case announceShutdown(Bool)
        /// Another program takes a delay lock and does not let it go, or does at last.
        case stubbornProgram(Bool)
        /// UPower and power-profiles-daemon die and are started again after so long.
        case restartPower(Duration)
        /// logind is.
        case restartLogin(Duration)
        /// UPower says nonsense: 0 % and a critical battery, for a moment after something has changed.
        case lie
    }

    public struct Step: Sendable, Hashable {
        /// From the beginning.
        public var after: Duration
        public var act: Act

        public init(after: Duration, _ act: Act) {
            self.after = after
            self.act = act
        }
    }

    /// How the machine is fed at first.
    public var start: Act
    public var steps: [Step]

    public init(start: Act = .mains(80), steps: [Step] = []) {
        self.start = start
        self.steps = steps
    }

    // MARK: Scripts

    /// A battery drains from 100 % to 3 %, a percent every five seconds; then the mains are back.
    public static let overnight = PowerScript(
        start: .battery(100),
        steps: (1...97).map { Step(after: .seconds(5 * $0), .battery(Double(100 - $0))) }
            + [Step(after: .seconds(495), .mains(3))])

    /// The mains go after 20 s, and come back a minute later.
    public static let unplugged = PowerScript(
        steps: [Step(after: .seconds(20), .battery(80)), Step(after: .seconds(80), .mains(79))])

    /// Somebody chooses the power-saver profile after 20 s, and balanced again a minute later.
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

    /// All that a machine's sleep may do wrong: twice within 2 s, announced without an end, ended without a beginning,
    /// a program that holds it up to the limit, a logind that dies.
    public static let restless = PowerScript(steps: [
        Step(after: .seconds(20), .suspend(.milliseconds(500))),
        Step(after: .milliseconds(21_500), .suspend(.seconds(5))),
        Step(after: .seconds(60), .announce(true)), Step(after: .seconds(150), .announce(false)),
        Step(after: .seconds(200), .stubbornProgram(true)), Step(after: .seconds(201), .suspend(.seconds(5))),
        Step(after: .seconds(220), .stubbornProgram(false)), Step(after: .seconds(250), .restartLogin(.seconds(10))),
        Step(after: .seconds(300), .announceShutdown(true)), Step(after: .seconds(303), .announceShutdown(false)),
    ])

    /// A UPower that dies, lies and flaps.
    public static let fickle = PowerScript(
        start: .battery(50),
        steps: [Step(after: .seconds(20), .lie), Step(after: .seconds(40), .restartPower(.seconds(3)))]
            + (0..<40).map { Step(after: .seconds(90 + $0), $0 % 2 == 0 ? .mains(50) : .battery(50)) })
}
