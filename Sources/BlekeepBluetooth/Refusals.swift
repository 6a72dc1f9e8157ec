import DBus

/// The requests in progress that may need pairing.
///
/// When BlueZ asks to pair a device for such a request, blekeep refuses and ends the request at once, because BlueZ wouldn't
/// answer it.
package final class Refusals: @unchecked Sendable {
    private let bus: any Bus
    private lazy var agent = RefusingAgent(on: bus) { [unowned self] in self.refuse($0) }
    /// An array, because there are only a few.
    private var requests: [Request] = []
    private var count = 0
    /// Whether a pairing is in progress. It has its own agent, and a connection has one agent at a time.
    private(set) var isPairing = false

    private struct Request {
        let key: Int
        let path: ObjectPath
        let device: ObjectPath
        let hasAgent: Bool
        var isRefused = false
    }

    init(on bus: any Bus) { self.bus = bus }

    /// Prepares the agent. Must return before the first request. If it fails, a request that needs pairing runs until its
    /// deadline.
    package func start() async { try? await agent.start() }

    /// Unregisters the agent before a pairing: a connection has one agent at a time. `endPairing` must follow.
    func beginPairing() {
        isPairing = true
        agent.unregister()
    }

    func endPairing() { isPairing = false }

    /// Adds a request to a characteristic or descriptor. It ends when BlueZ asks to pair the device. `end` must follow.
    ///
    /// - Parameter mayNeedPairing: whether BlueZ may ask to pair the device, so that the agent is needed.
    package func begin(_ path: ObjectPath, of device: ObjectPath, mayNeedPairing: Bool = false) -> Int {
        let hasAgent = mayNeedPairing && !isPairing
        count += 1
        requests.append(Request(key: count, path: path, device: device, hasAgent: hasAgent))
        if hasAgent { agent.begin() }
        return count
    }

    /// Removes a request. Returns whether it ended because BlueZ asked to pair the device.
    @discardableResult
    package func end(_ key: Int) -> Bool {
        guard let index = requests.firstIndex(where: { $0.key == key }) else { return false }
        let request = requests.remove(at: index)
        if request.hasAgent { agent.end() }
        return request.isRefused
    }

    /// Registers the agent during work that has its own deadline.
    package func withAgent(if mayNeedPairing: Bool, _ work: () async -> Void) async {
        guard mayNeedPairing else { return await work() }
        agent.begin()
        await work()
        agent.end()
    }

    private func refuse(_ device: ObjectPath) {
        for index in requests.indices where requests[index].device == device { requests[index].isRefused = true }
        for request in requests where request.device == device { bus.abandonCalls(below: request.path) }
    }
}
