import Blekeep
import BlekeepSimulation
import DBus
import RunLoop

/// Faults that wait for the poller's next call of some kind, to strike during it.
final class SwarmTriggers {
    private let loop: RunLoop
    private var armed: [(member: MemberName, delay: Delay, act: (ObjectPath) -> Void)] = []

    /// The time after the call.
    enum Delay: Sendable {
        /// This many turns of the loop, while the call or its reply is in transit. No time passes.
        case turns(Int)
        case time(Duration)
    }

    init(_ loop: RunLoop) {
        self.loop = loop
    }

    /// Adds a fault.
    ///
    /// - Parameter act: called with the object of the call.
    func arm(_ member: MemberName, _ delay: Delay, _ act: @escaping (ObjectPath) -> Void) {
        armed.append((member, delay, act))
    }

    /// Removes all waiting faults.
    func disarm() { armed = [] }

    /// Takes a call of the poller.
    func observe(_ call: MethodCall) {
        guard let index = armed.firstIndex(where: { $0.member == call.member }) else { return }
        let (_, delay, act) = armed.remove(at: index)
        switch delay {
        case .turns(let count): wait(count) { act(call.path) }
        case .time(let pause): loop.schedule(at: loop.now + pause) { act(call.path) }
        }
    }

    private func wait(_ turns: Int, _ act: @escaping () -> Void) {
        loop.soon { [self] in if turns > 1 { wait(turns - 1, act) } else { act() } }
    }
}
