import DBus
import RunLoop

/// Finds a device's points among the objects that BlueZ has for it, and remembers them until the objects change.
final class DeviceBinding {
    private let configuration: DeviceConfiguration
    private let interval: Duration
    private let throttle: Duration
    private let decoders: LayoutCache
    private let loop: RunLoop
    private var known: Known?

    /// What was found, and where it holds.
    private struct Known {
        let link: LinkCore
        let within: Duration
        let tree: GattTree
        let points: [BoundPoint]
        /// Whether the objects have changed since, or have been told anew.
        var isOld = false
    }

    /// Objects may come a moment after the services are said to be resolved.
    private static let patience: Duration = .seconds(2)

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
        on link: LinkCore, within: Duration, while isWanted: () -> Bool
    ) async -> (points: [BoundPoint], missing: [CharacteristicConfiguration]) {
        let (points, missing) = await find(on: link, min(Timing.read, within), isWanted)
        for point in points where isWanted() && !point.isDescribed {
            // A device may want to be paired for its descriptors.
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
        let deadline = loop.now + Self.patience
        while !isComplete(choice), loop.now < deadline, isWanted() {
            try? await loop.sleep(until: loop.now + .milliseconds(200))
            tree = link.tree
            choice = choose(from: tree)
        }
        guard isWanted() else { return ([], []) }
        let points = choice.points.map { plan in
            BoundPoint(plan, on: link, within: within, layout: decoders[plan.characteristic.uuid])
        }
        // What is incomplete is never kept: the rest may be late.
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
