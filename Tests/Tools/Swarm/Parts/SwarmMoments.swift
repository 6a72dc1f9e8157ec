import Blekeep
import BlekeepSimulation
import DBus
import RunLoop

/// What is to happen in the middle of something: with the next call of a kind that the keeper makes.
final class SwarmMoments {
    private let loop: RunLoop
    private var armed: [(member: MemberName, moment: Moment, act: (ObjectPath) -> Void)] = []

    /// How long after the call.
    enum Moment: Sendable {
        /// So many turns of the loop, in which no time passes: while the call is on its way, or its answer is.
        case turns(Int)
        case time(Duration)
    }

    init(_ loop: RunLoop) {
        self.loop = loop
    }

    /// - Parameter act: told what the call is made on.
    func arm(_ member: MemberName, _ moment: Moment, _ act: @escaping (ObjectPath) -> Void) {
        armed.append((member, moment, act))
    }

    /// Nothing of it is to happen any more.
    func disarm() { armed = [] }

    func asked(_ call: MethodCall) {
        guard let index = armed.firstIndex(where: { $0.member == call.member }) else { return }
        let (_, moment, act) = armed.remove(at: index)
        switch moment {
        case .turns(let count): wait(count) { act(call.path) }
        case .time(let pause): loop.schedule(at: loop.now + pause) { act(call.path) }
        }
    }

    private func wait(_ turns: Int, _ act: @escaping () -> Void) {
        loop.soon { [self] in if turns > 1 { wait(turns - 1, act) } else { act() } }
    }
}
