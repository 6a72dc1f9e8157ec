import DBus
import RunLoop

/// Finds a device's points among the objects that BlueZ has for it, and remembers them until the objects change.
final class DeviceBinding {
    private let configuration: DeviceConfiguration
    private let interval: Duration
    private let throttle: Duration
    private let decoders: LayoutCache
    private let loop: RunLoop
    private var memories: [ObjectPath: PointMemory] = [:]
    private var known: Known?
    /// Registered while descriptors are read, for which a device may want to be paired.
    var agent: RefusingAgent?

    /// What was found, and where it holds.
    private struct Known {
        let bus: any Bus
        let device: ObjectPath
        let within: Duration
        let tree: GattTree
        let plans: [PointPlan]
        /// Whether the objects have changed since, or have been told anew.
        var isOld = false
    }

    /// Objects may come a moment after the services are said to be resolved.
    private static let patience: Duration = .seconds(2)
    /// A device that shows other objects each time does not fill the memory.
    private static let mostMemories = 1024

    init(
        _ configuration: DeviceConfiguration, interval: Duration, throttle: Duration, layouts: [OwnLayout],
        loop: RunLoop
    ) {
        self.configuration = configuration
        self.interval = interval
        self.throttle = throttle
        self.loop = loop
        decoders = LayoutCache(own: layouts)
    }

    /// The device's objects are others now, or the same anew: BlueZ forgets many a device between two links.
    func forget() { known?.isOld = true }

    /// The points on a link whose services are resolved, and what the configuration names but the device lacks.
    ///
    /// - Parameter isWanted: whether the link is there still; nothing is waited for when it is not.
    func points(
        on bus: any Bus, _ mirror: ObjectMirror, _ device: ObjectPath, within: Duration, while isWanted: () -> Bool
    ) async -> (points: [Point], missing: [PointConfiguration]) {
        let (plans, missing) = await plans(on: bus, mirror, device, min(Timing.read, within), isWanted)
        for plan in plans where isWanted() && !plan.isDescribed {
            let agent = agent
            agent?.begin()
            defer { agent?.end() }
            await plan.describe(on: bus)
        }
        return isWanted() ? (plans.map { Point($0) }, missing) : ([], [])
    }

    private func plans(
        on bus: any Bus, _ mirror: ObjectMirror, _ device: ObjectPath, _ within: Duration, _ isWanted: () -> Bool
    ) async -> (plans: [PointPlan], missing: [PointConfiguration]) {
        if let plans = stillKnown(on: bus, mirror, device, within) { return (plans, []) }
        var tree = GattTree(of: device, in: mirror.tree)
        var choice = choose(from: tree)
        let deadline = loop.now + Self.patience
        while !isComplete(choice), loop.now < deadline, isWanted() {
            try? await loop.sleep(until: loop.now + .milliseconds(200))
            tree = GattTree(of: device, in: mirror.tree)
            choice = choose(from: tree)
        }
        guard isWanted() else { return ([], []) }
        if memories.count > Self.mostMemories { memories = [:] }
        let plans = choice.points.map { chosen in
            PointPlan(
                chosen, on: bus, interval: interval, throttle: throttle, within: within,
                layout: decoders[chosen.characteristic.uuid], memory: memory(of: chosen.characteristic.path))
        }
        // What is incomplete is never kept: the rest may be late.
        if isComplete(choice) {
            known = Known(bus: bus, device: device, within: within, tree: tree, plans: plans)
        } else {
            mirror.refresh()
        }
        return (plans, choice.missing)
    }

    private func stillKnown(
        on bus: any Bus, _ mirror: ObjectMirror, _ device: ObjectPath, _ within: Duration
    ) -> [PointPlan]? {
        guard let known, known.bus === bus, known.device == device, known.within == within,
            !known.isOld || known.tree == GattTree(of: device, in: mirror.tree)
        else { return nil }
        self.known?.isOld = false
        return known.plans
    }

    private func memory(of path: ObjectPath) -> PointMemory {
        if let memory = memories[path] { return memory }
        let memory = PointMemory()
        memories[path] = memory
        return memory
    }

    private func isComplete(_ choice: PointChoice.Choice) -> Bool { !choice.points.isEmpty && choice.missing.isEmpty }

    private func choose(from tree: GattTree) -> PointChoice.Choice {
        PointChoice.choose(from: tree, for: configuration) { decoders[$0] != nil }
    }
}
