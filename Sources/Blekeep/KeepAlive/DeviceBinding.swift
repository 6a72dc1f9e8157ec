import DBus
import RunLoop

/// Finds a device's points among the objects that BlueZ has for it, and remembers them until the objects change.
final class DeviceBinding {
    private let configuration: DeviceConfiguration
    private let interval: Duration
    private let decoders: LayoutCache
    private let loop: RunLoop
    private var memories: [ObjectPath: PointMemory] = [:]
    private var known: (device: ObjectPath, choice: Choice)?

    typealias Choice = (points: [PointChoice.Chosen], missing: [PointConfiguration])

    /// Objects may come a moment after the services are said to be resolved.
    private static let patience: Duration = .seconds(2)
    /// A device that shows other objects each time does not fill the memory.
    private static let mostMemories = 1024

    init(_ configuration: DeviceConfiguration, interval: Duration, layouts: [OwnLayout], loop: RunLoop) {
        self.configuration = configuration
        self.interval = interval
        self.loop = loop
        decoders = LayoutCache(own: layouts)
    }

    /// The device's objects are others now.
    func forget() { known = nil }

    /// The points on a link whose services are resolved, and what the configuration names but the device lacks.
    ///
    /// - Parameter isWanted: whether the link is there still; nothing is waited for when it is not.
    func points(
        on bus: any Bus, _ mirror: ObjectMirror, _ device: ObjectPath, within: Duration, while isWanted: () -> Bool
    ) async -> (points: [Point], missing: [PointConfiguration]) {
        let choice = await choice(device, mirror, isWanted)
        guard isWanted() else { return ([], []) }
        if memories.count > Self.mostMemories { memories = [:] }
        let points = choice.points.map { chosen in
            Point(
                chosen.characteristic, on: bus, interval: chosen.interval ?? interval, isConstant: chosen.isConstant,
                subscribes: chosen.subscribes, security: chosen.security, number: chosen.number,
                within: min(Timing.read, within), layout: decoders[chosen.characteristic.uuid],
                memory: memory(of: chosen.characteristic.path))
        }
        for point in points where point.form.layout == nil && isWanted() { await describe(point, bus) }
        return (points, choice.missing)
    }

    private func memory(of path: ObjectPath) -> PointMemory {
        if let memory = memories[path] { return memory }
        let memory = PointMemory()
        memories[path] = memory
        return memory
    }

    private func choice(
        _ device: ObjectPath, _ mirror: ObjectMirror, _ isWanted: () -> Bool
    ) async -> Choice {
        if let known, known.device == device { return known.choice }
        var choice = choose(device, mirror)
        let deadline = loop.now + Self.patience
        while !isComplete(choice), loop.now < deadline, isWanted() {
            try? await loop.sleep(until: loop.now + .milliseconds(200))
            choice = choose(device, mirror)
        }
        guard isWanted() else { return choice }
        // What is incomplete is never kept: the rest may be late.
        if isComplete(choice) { known = (device, choice) } else { mirror.refresh() }
        return choice
    }

    private func isComplete(_ choice: Choice) -> Bool { !choice.points.isEmpty && choice.missing.isEmpty }

    private func choose(_ device: ObjectPath, _ mirror: ObjectMirror) -> Choice {
        PointChoice.choose(from: GattTree(of: device, in: mirror.tree), for: configuration) { decoders[$0] != nil }
    }

    /// Asks the device itself what its value means, where no layout says so.
    private func describe(_ point: Point, _ bus: any Bus) async {
        let descriptors = point.characteristic.descriptors
        var form = point.form
        await form.complete { uuid in
            guard let path = descriptors[uuid] else { return nil }
            return try? await bus.object(Bluez.service, path).call(
                GattDescriptor1.readValue, [:], within: .seconds(5))
        }
        point.form = form
    }
}
