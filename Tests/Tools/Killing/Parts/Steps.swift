import Blekeep
import BlekeepSimulation
import DBus
import RunLoop

/// Counts the steps of a poller (each call begun, each answer, each signal, each commit before and after), and does
/// something at one of them.
package final class Steps: @unchecked Sendable {
    package private(set) var count = 0
    /// The step of the kill in words; `nil` before it.
    package private(set) var struck: String?
    private let target: Int
    private let strike: () -> Void

    /// - Parameter target: the number of the step, from 1 on; 0: none.
    package init(_ target: Int, _ strike: @escaping () -> Void) {
        self.target = target
        self.strike = strike
    }

    func pass(_ what: @autoclosure () -> String) {
        count += 1
        guard count == target else { return }
        struck = what()
        strike()
    }
}

/// A connection whose calls are steps.
final class StepBus: ForwardingBus, @unchecked Sendable {
    let inner: any Bus
    private let steps: Steps

    init(_ inner: any Bus, _ steps: Steps) {
        self.inner = inner
        self.steps = steps
    }

    func call(_ call: MethodCall) async throws(BusError) -> [Value] {
        steps.pass("before \(call.member)")
        let result: Result<[Value], BusError>
        do throws(BusError) { result = .success(try await inner.call(call)) } catch { result = .failure(error) }
        steps.pass("after \(call.member)")
        return try result.get()
    }

    func send(_ call: MethodCall) {
        steps.pass("before \(call.member)")
        inner.send(call)
        steps.pass("after \(call.member)")
    }

    func follow(_ service: BusName, handler: @escaping (ServiceEvent) -> Void) async throws(BusError) {
        steps.pass("before following \(service)")
        try await inner.follow(service) { [steps] event in
            steps.pass("before \(Self.name(of: event))")
            handler(event)
            steps.pass("after \(Self.name(of: event))")
        }
        steps.pass("after following \(service)")
    }

    private static func name(of event: ServiceEvent) -> String {
        switch event {
        case .owner: "the owner's change"
        case .signal(let signal): "the signal \(signal.member)"
        }
    }

    func listen(_ service: BusName, for matches: [SignalMatch]) async throws(BusError) {
        steps.pass("before listening to \(service)")
        try await inner.listen(service, for: matches)
        steps.pass("after listening to \(service)")
    }
}

/// A history whose commits are steps.
final class StepStore: Ledger, @unchecked Sendable {
    private let inner: any Ledger
    private let steps: Steps
    /// Called with the number of stored good readings.
    var onReadings: (Int) -> Void = { _ in }

    init(_ inner: any Ledger, _ steps: Steps) {
        self.inner = inner
        self.steps = steps
    }

    func append(
        _ readings: [Reading], _ heartbeat: Heartbeat?, _ changes: LedgerChanges, durable: Bool
    ) throws -> [StoredReading] {
        steps.pass("before a commit of \(readings.count) readings")
        let stored = try inner.append(readings, heartbeat, changes, durable: durable)
        steps.pass("after a commit of \(readings.count) readings")
        let good = readings.count { if case .value = $0.outcome { true } else { false } }
        if good > 0 { onReadings(good) }
        return stored
    }

    func lastHeartbeat() throws -> Heartbeat? { try inner.lastHeartbeat() }
    func lastKnown() throws -> (statuses: [DeviceStatus], entries: [LedgerEntry]) { try inner.lastKnown() }

    func lastAdapters() throws -> [GatewayStatus.Adapter] { try inner.lastAdapters() }

    var needsUpkeep: Bool { inner.needsUpkeep }
    func upkeep() throws { try inner.upkeep() }
}
