import DBus

/// What a central says when BlueZ wants to pair a device for something that was asked of it: no, and that what was
/// asked is over. Without it BlueZ would not answer at all.
final class Refusals: @unchecked Sendable {
    private let bus: any Bus
    private var agent: RefusingAgent?
    private var isStanding = false
    private var underWay: [Int: (path: ObjectPath, device: ObjectPath)] = [:]
    private var refused: Set<Int> = []
    private var count = 0

    init(on bus: any Bus) {
        self.bus = bus
    }

    /// From now on BlueZ asks us, unless there is somebody else to ask; who refuses us is none the worse for it.
    func stand() async {
        guard !isStanding else { return }
        isStanding = true
        let agent = agent ?? RefusingAgent(on: bus) { [unowned self] in self.refuse($0) }
        self.agent = agent
        try? await agent.register()
    }

    /// A connection has one agent at a time: this one leaves before a pairing.
    func leave() async {
        guard isStanding else { return }
        isStanding = false
        await agent?.unregister()
    }

    func begin(_ path: ObjectPath, of device: ObjectPath) -> Int {
        count += 1
        underWay[count] = (path, device)
        return count
    }

    /// - Returns: whether it was given up, because BlueZ wanted to pair the device for it.
    func end(_ key: Int) -> Bool {
        underWay[key] = nil
        return refused.remove(key) != nil
    }

    private func refuse(_ device: ObjectPath) {
        for (key, asked) in underWay where asked.device == device {
            refused.insert(key)
            bus.abandonCalls(below: asked.path)
        }
    }
}
