import DBus

/// The requests in progress of a client of BlueZ. When BlueZ asks to pair a device for one of them, the answer is no, and
/// the request ends at once: BlueZ would not answer it at all.
package final class Refusals: @unchecked Sendable {
    private let bus: any Bus
    private lazy var agent = RefusingAgent(on: bus) { [unowned self] in self.refuse($0) }
    /// As few as there are devices: looked through rather than hashed.
    private var underWay: [Request] = []
    private var count = 0
    /// Whether a pairing is in progress, which has an agent of its own: there is one agent at a time.
    private(set) var isPairing = false

    private struct Request {
        let key: Int
        let path: ObjectPath
        let device: ObjectPath
        let hasAgent: Bool
        var isRefused = false
    }

    init(on bus: any Bus) {
        self.bus = bus
    }

    /// Must return before the first request. If it fails, a request that needs pairing ends by its deadline.
    package func start() async { try? await agent.start() }

    /// Unregisters the agent before a pairing: a connection has one agent at a time. `endPairing` must follow.
    func beginPairing() {
        isPairing = true
        agent.unregister()
    }

    func endPairing() { isPairing = false }

    /// Takes in a request to a characteristic or descriptor, which ends when BlueZ asks to pair the device. `end` must
    /// follow.
    ///
    /// - Parameter mayNeedPairing: whether BlueZ may have to pair the device for it, so that an agent has to be there.
    package func begin(_ path: ObjectPath, of device: ObjectPath, mayNeedPairing: Bool = false) -> Int {
        let hasAgent = mayNeedPairing && !isPairing
        count += 1
        underWay.append(Request(key: count, path: path, device: device, hasAgent: hasAgent))
        if hasAgent { agent.begin() }
        return count
    }

    /// - Returns: whether the request was given up, because BlueZ asked to pair the device for it.
    @discardableResult
    package func end(_ key: Int) -> Bool {
        guard let place = underWay.firstIndex(where: { $0.key == key }) else { return false }
        let request = underWay.remove(at: place)
        if request.hasAgent { agent.end() }
        return request.isRefused
    }

    /// Has an agent there, which refuses, during work that ends by its own deadline.
    package func withAgent(if mayNeedPairing: Bool, _ work: () async -> Void) async {
        guard mayNeedPairing else { return await work() }
        agent.begin()
        await work()
        agent.end()
    }

    private func refuse(_ device: ObjectPath) {
        for place in underWay.indices where underWay[place].device == device { underWay[place].isRefused = true }
        for request in underWay where request.device == device { bus.abandonCalls(below: request.path) }
    }
}
