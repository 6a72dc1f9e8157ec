import DBus
import RunLoop

/// Finds a device's configured characteristics among BlueZ's objects, and remembers them until the objects change.
final class DeviceBinding {
    private let configuration: DeviceConfiguration
    private let interval: Duration
    private let throttle: Duration
    private let decoders: LayoutCache
    private let isNeeded: Bool
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
        hasRecipe: Bool, loop: RunLoop
    ) {
        self.configuration = configuration
        self.interval = interval
        self.throttle = throttle
        // Of a device with a recipe, blekeep reads only what is configured besides.
        isNeeded = !hasRecipe || !configuration.characteristics.isEmpty
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
        guard isNeeded else { return ([], []) }
        let (points, missing) = await find(on: link, within: min(Timing.read, within), isWanted: isWanted)
        for point in points where isWanted() && !point.isDescribed {
            // Reading descriptors may need pairing.
            await link.core.refusals.withAgent(if: true) { await point.describe(on: link) }
        }
        return isWanted() ? (points, missing) : ([], [])
    }

    private func find(
        on link: LinkCore, within: Duration, isWanted: () -> Bool
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

/// The plan to poll a characteristic.
struct PointPlan: Sendable, Hashable {
    var characteristic: GattCharacteristic
    var interval: Duration
    /// Whether the value can't change, such as a serial number. It is read once per start of the program.
    var isConstant = false
    var subscribes = false
    var security = PointSecurity.none
    /// The shortest time between two stored values that the device sends by itself; 0 stores all.
    var throttle: Duration
    var calibration: Calibration?
    /// The number among the characteristics with the same UUID in services with the same UUID, in the order of their
    /// handles, from 1.
    var number = 1

    var path: ObjectPath { characteristic.path }

    func isTarget(of request: WriteRequest) -> Bool {
        characteristic.uuid == request.characteristic && number == request.instance
            && (request.service == nil || request.service == characteristic.service)
    }
}

/// Chooses the characteristics of a device to read: the configured ones, or all that blekeep can decode.
enum PointChoice {
    typealias Choice = (points: [PointPlan], missing: [CharacteristicConfiguration])

    /// - Parameters:
    ///   - interval: the interval of characteristics without one of their own.
    ///   - throttle: the throttle of characteristics without one of their own.
    /// - Returns: the points in the order of their handles, and the configured characteristics that the device lacks.
    static func choose(
        from tree: GattTree, for device: DeviceConfiguration, interval: Duration, throttle: Duration,
        isKnown: (BluetoothUUID) -> Bool
    ) -> Choice {
        guard !device.characteristics.isEmpty else {
            let points = tree.characteristics.compactMap {
                sensible($0, interval: interval, throttle: throttle, isKnown: isKnown)
            }
            return (numbered(points, in: tree), [])
        }
        var points: [PointPlan] = []
        var missing: [CharacteristicConfiguration] = []
        for wanted in device.characteristics {
            let found = tree.characteristics.filter {
                $0.uuid == wanted.characteristic && (wanted.service == nil || wanted.service == $0.service)
            }
            if found.isEmpty { missing.append(wanted) }
            points += found.map { characteristic in
                PointPlan(
                    characteristic: characteristic, interval: wanted.interval ?? interval,
                    subscribes: characteristic.canNotify && (wanted.notify || !characteristic.isReadable),
                    security: wanted.security, throttle: wanted.throttle ?? throttle, calibration: wanted.calibration)
            }
        }
        return (numbered(points, in: tree), missing)
    }

    /// Numbers the points with the same UUID.
    private static func numbered(_ points: [PointPlan], in tree: GattTree) -> [PointPlan] {
        var points = points
        for index in points.indices {
            let characteristic = points[index].characteristic
            // There are few, so that a search is faster than a table.
            let same = tree.characteristics.prefix { $0.path != characteristic.path }
                .count { $0.uuid == characteristic.uuid && $0.service == characteristic.service }
            points[index].number = same + 1
        }
        return points
    }

    private static let genericServices = [BluetoothUUID(0x1800), BluetoothUUID(0x1801)]

    /// Returns the plan of a characteristic that blekeep can decode. Device information is read once; a characteristic that
    /// only notifies or indicates is subscribed to.
    private static func sensible(
        _ characteristic: GattCharacteristic, interval: Duration, throttle: Duration,
        isKnown: (BluetoothUUID) -> Bool
    ) -> PointPlan? {
        let presentation = characteristic.descriptors[BluetoothUUID(0x2904)]
        guard !genericServices.contains(characteristic.service),
            presentation != nil || isKnown(characteristic.uuid)
        else { return nil }
        var plan = PointPlan(characteristic: characteristic, interval: interval, throttle: throttle)
        if characteristic.isReadable {
            plan.isConstant = characteristic.service == BluetoothUUID(0x180A)
        } else {
            plan.subscribes = true
        }
        return characteristic.isReadable || characteristic.canNotify ? plan : nil
    }
}

/// A polled characteristic on a connection, with the call that reads it and the format of its values.
final class BoundPoint {
    let plan: PointPlan
    private(set) var form: ValueForm
    /// Whether the format needs no more reads of descriptors.
    private(set) var isDescribed: Bool
    private let usual: TypedCall<[UInt8]>
    private let within: Duration

    /// - Parameter within: how long a read may take.
    init(_ plan: PointPlan, on link: LinkCore, within: Duration, layout: LayoutDecoder?) {
        self.plan = plan
        self.within = within
        usual = link.reading(plan.path, within: within)
        form = ValueForm(of: plan.characteristic.uuid, layout: layout)
        form.calibration = plan.calibration
        isDescribed = layout != nil || plan.characteristic.descriptors.isEmpty
    }

    /// Returns the call that reads it, with a deadline of at most `end`.
    func read(on link: LinkCore, at now: Uptime, until end: Uptime) -> TypedCall<[UInt8]> {
        guard end - now < within else { return usual }
        return link.reading(plan.path, within: max(.milliseconds(1), end - now))
    }

    /// Reads the descriptors for a format without a layout. If a read fails, the next connection tries again.
    func describe(on link: LinkCore) async {
        guard !isDescribed else { return }
        let descriptors = plan.characteristic.descriptors
        var isComplete = true
        var described = form
        await described.complete { uuid in
            guard let path = descriptors[uuid] else { return nil }
            let bytes = try? await link.read(descriptor: path, within: .seconds(5))
            isComplete = isComplete && bytes != nil
            return bytes
        }
        form = described
        isDescribed = isComplete
    }
}

/// The decoders of characteristics. Each is looked up once, not for each connection.
private final class LayoutCache {
    private let own: [OwnLayout]
    private var known: [BluetoothUUID: LayoutDecoder?] = [:]

    init(own: [OwnLayout]) {
        self.own = own
    }

    /// The user's own layout, or the assigned one; `nil` without both.
    subscript(_ characteristic: BluetoothUUID) -> LayoutDecoder? {
        if let found = known[characteristic] { return found }
        let layout = LayoutDecoder(characteristic, own: own)
        known[characteristic] = .some(layout)
        return layout
    }
}
