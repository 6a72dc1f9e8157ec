import DBus
import RunLoop

/// Finds a device's configured characteristics among BlueZ's objects, and remembers them until the objects change.
final class DeviceBinding {
    private let configuration: DeviceConfiguration
    private let interval: Duration
    private let throttle: Duration
    private let decoders: LayoutCache
    private let loop: RunLoop
    private var known: Known?

    /// The characteristics of a connection.
    private struct Known {
        let link: LinkCore
        let within: Duration
        let tree: GattTree
        let points: [BoundPoint]
        /// Whether the objects may have changed since.
        var isOld = false
    }

    /// The longest wait for objects after BlueZ reports that the services are resolved.
    private static let longestWait: Duration = .seconds(2)

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

    /// Call this when the device's objects may have changed.
    func forget() { known?.isOld = true }

    /// Returns the points on a connection, and the configured characteristics that the device lacks.
    ///
    /// - Parameter isWanted: returns whether the connection is still up.
    func points(
        on link: LinkCore, within: Duration, while isWanted: () -> Bool
    ) async -> (points: [BoundPoint], missing: [CharacteristicConfiguration]) {
        let (points, missing) = await find(on: link, min(Timing.read, within), isWanted)
        for point in points where isWanted() && !point.isDescribed {
            // Reading descriptors may need pairing.
            await link.core.refusals.withAgent(if: true) { await point.describe(on: link) }
        }
        return isWanted() ? (points, missing) : ([], [])
    }

    private func find(
        on link: LinkCore, _ within: Duration, _ isWanted: () -> Bool
    ) async -> (points: [BoundPoint], missing: [CharacteristicConfiguration]) {
        if let points = stillKnown(on: link, within) { return (points, []) }
        var tree = link.tree
        var choice = choose(from: tree)
        let deadline = loop.now + Self.longestWait
        while !isComplete(choice), loop.now < deadline, isWanted() {
            try? await loop.sleep(until: loop.now + .milliseconds(200))
            tree = link.tree
            choice = choose(from: tree)
        }
        guard isWanted() else { return ([], []) }
        let points = choice.points.map { plan in
            BoundPoint(plan, on: link, within: within, layout: decoders[plan.characteristic.uuid])
        }
        // An incomplete result isn't kept, because the rest may come late.
        if isComplete(choice) {
            known = Known(link: link, within: within, tree: tree, points: points)
        } else {
            link.refresh()
        }
        return (points, choice.missing)
    }

    private func stillKnown(on link: LinkCore, _ within: Duration) -> [BoundPoint]? {
        guard let known, known.link.core === link.core, known.link.device == link.device, known.within == within,
            !known.isOld || known.tree == link.tree
        else { return nil }
        self.known?.isOld = false
        return known.points
    }

    private func isComplete(_ choice: PointChoice.Choice) -> Bool { !choice.points.isEmpty && choice.missing.isEmpty }

    private func choose(from tree: GattTree) -> PointChoice.Choice {
        PointChoice.choose(from: tree, for: configuration, interval: interval, throttle: throttle) {
            decoders[$0] != nil
        }
    }
}
