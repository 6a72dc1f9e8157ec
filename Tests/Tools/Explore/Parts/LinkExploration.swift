#if DEBUG
import DBus
import RunLoop

@testable import BlekeepPoller

/// A device's connection in BlueZ, with answers that come late or never, and what the device's machine does about it.
package struct LinkExploration: Explored {
    package enum Event: Equatable {
        case connect(isAhead: Bool)
        case accepted, inProgressElsewhere, alreadyConnected, refused
        /// An answer to an earlier attempt, or an earlier poll.
        case lateAnswers
        case up, resolved, down, gone
        case claim
        case tick, polled
        case disconnect, cancel
        case forget
        case unsubscribed, busRenewed
        case expire
        case wait
    }

    private var link = LinkMachine()
    private var now = Uptime.start + .seconds(86_400)
    private var isConnected = false
    private var isResolved = false
    /// The number of the last attempt or poll that was given up.
    private var earlier: Int?

    package static var starts: [LinkExploration] { [LinkExploration()] }
    package static var projection: Projection {
        Projection([
            "number": .count("link"), "earlier": .count("link"), "until": .deadline, "triedAt": .age(.seconds(10)),
        ])
    }
    package var state: [Any] {
        struct Own { let isConnected: Bool, isResolved: Bool, earlier: Int? }
        return [now, link, Own(isConnected: isConnected, isResolved: isResolved, earlier: earlier)]
    }

    /// Those that BlueZ may send, and those that `DeviceMachine` asks for.
    package var events: [Event] {
        var events: [Event] = [.lateAnswers, .gone, .unsubscribed, .busRenewed]
        events += isConnected ? [.down, .disconnect, .claim] + (isResolved ? [] : [.resolved]) : [.up]
        if case .connecting = link.phase {
            events += [.accepted, .inProgressElsewhere, .alreadyConnected, .refused, .cancel]
        }
        if link.phase == .released, !isConnected {
            events += [.connect(isAhead: false), .connect(isAhead: true)]
        }
        if link.phase.isIdle { events += isConnected ? [.tick] : [.forget] }
        if link.phase.isPolling { events.append(.polled) }
        if let deadline = link.phase.deadline {
            events.append(.expire)
            if deadline - now > .seconds(2) { events.append(.wait) }
        }
        return events
    }

    package mutating func take(_ event: Event) -> String? {
        let number = link.number
        switch event {
        case .connect(let isAhead): link.connect(within: Timing.connectHeard, isAhead: isAhead, at: now)
        case .accepted: link.accept(at: now)
        case .alreadyConnected: link.adopt(at: now)
        case .inProgressElsewhere: link.watch(at: now)
        case .refused, .cancel: cancel()
        case .lateAnswers:
            guard let earlier else { return nil }
            let before = link
            if link.isConnecting(in: earlier) || link.isPolling(on: earlier) || link.polled(on: earlier) {
                return "an answer to no. \(earlier) counts for no. \(before.number)"
            }
            if link != before { return "a late answer changes something" }
        case .up:
            isConnected = true
            link.cameUp(at: now)
        case .resolved:
            isResolved = true
            _ = link.resolved()
        case .down:
            (isConnected, isResolved) = (false, false)
            let isOwn = link.ended()
            // A poll in progress ends by itself.
            if isOwn || !link.phase.isPolling { abandon() }
        case .gone:
            (isConnected, isResolved) = (false, false)
            abandon()
        case .claim: link.claim()
        case .tick: if isResolved { link.poll(at: .root, at: now) } else { link.resolve(at: now) }
        case .polled:
            if !link.polled(on: link.number) { return "the end of a poll doesn't count" }
            if !isConnected { abandon() }
        case .disconnect: end()
        case .forget:
            abandon()
            link.waitForEnd(within: Timing.disconnect, at: now)
        case .unsubscribed: link.unsubscribed()
        case .busRenewed: if link.phase.isPolling { abandon(staysUp: isConnected) }
        case .expire:
            guard let deadline = link.phase.deadline else { return nil }
            now = max(now, deadline)
            switch link.phase {
            case .connecting: cancel()
            case .watching: abandon()
            case .resolving: end()
            case .polling, .disconnecting: abandon(staysUp: isConnected)
            case .released, .held: return "nothing ends \(link.phase)"
            }
        case .wait: now = now + .seconds(2)
        }
        return broken(since: number)
    }

    private mutating func abandon(staysUp: Bool = false) {
        earlier = link.number
        _ = link.abandon(staysUp: staysUp)
    }

    private mutating func cancel() {
        abandon()
        link.waitForEnd(within: Timing.afterCancel, at: now)
    }

    private mutating func end() { if !link.disconnect(at: now) { abandon() } }

    private mutating func broken(since number: Int) -> String? {
        if let violation = link.collectViolation(isConnected: isConnected) { return violation }
        if link.number < number { return "a number comes twice" }
        guard let deadline = link.phase.deadline else {
            return link.phase.isIdle ? nil : "\(link.phase) has no deadline"
        }
        return deadline - now > max(Timing.poll, Timing.connectUnheard) ? "\(link.phase) lasts \(deadline - now)" : nil
    }
}
#endif
