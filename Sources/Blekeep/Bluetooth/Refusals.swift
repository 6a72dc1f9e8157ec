import DBus

/// The requests of a central in progress. When BlueZ asks to pair a device for one of them, the answer is no, and the
/// request ends at once: BlueZ would not answer it at all.
final class Refusals: @unchecked Sendable {
    private let bus: any Bus
    private lazy var agent = RefusingAgent(on: bus) { [unowned self] in self.refuse($0) }
    private var underWay: [Int: Request] = [:]
    private var refused: Set<Int> = []
    private var count = 0
    /// Whether a pairing is in progress, which has an agent of its own: there is one agent at a time.
    private(set) var isPairing = false

    private struct Request {
        let path: ObjectPath
        let device: ObjectPath
        let mayNeedPairing: Bool
    }

    init(on bus: any Bus) {
        self.bus = bus
    }

    /// Must return before the first request. If it fails, a request that needs pairing ends by its deadline.
    func start() async { try? await agent.start() }

    /// Unregisters the agent before a pairing: a connection has one agent at a time. `endPairing` must follow.
    func beginPairing() {
        isPairing = true
        agent.unregister()
    }

    func endPairing() { isPairing = false }

    /// - Parameter mayNeedPairing: whether BlueZ may have to pair the device for the request.
    func begin(_ path: ObjectPath, of device: ObjectPath, mayNeedPairing: Bool) -> Int {
        let mayNeedPairing = mayNeedPairing && !isPairing
        count += 1
        underWay[count] = Request(path: path, device: device, mayNeedPairing: mayNeedPairing)
        if mayNeedPairing { agent.begin() }
        return count
    }

    /// - Returns: whether it was given up, because BlueZ asked to pair the device for it.
    func end(_ key: Int) -> Bool {
        if underWay.removeValue(forKey: key)?.mayNeedPairing == true { agent.end() }
        return refused.remove(key) != nil
    }

    private func refuse(_ device: ObjectPath) {
        for (key, asked) in underWay where asked.device == device {
            refused.insert(key)
            bus.abandonCalls(below: asked.path)
        }
    }
}
