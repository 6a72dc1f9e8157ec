import DBus
import RunLoop

/// Finds a device's configured characteristics among BlueZ's objects, and remembers them until the objects change.
///
/// BlueZ reports resolved services before it exports the last objects, and signals get lost. A search therefore waits for
/// what is missing, but only once for each connection: what the device lacks must not delay what it has.
final class DeviceBinding {
    private let setting: DeviceSetting
    private let decoders: LayoutCache
    private let readsPoints: Bool
    private let loop: RunLoop
    private var known: Known?
    /// The objects about which BlueZ was asked again, because some were missing.
    private var confirmed: GattTree?

    /// What a search found on a connection.
    struct Found {
        var points: [BoundPoint] = []
        var missing: [CharacteristicConfiguration] = []
        var services = FoundServices.some
    }

    private struct Known {
        let link: LinkCore
        let within: Duration
        let tree: GattTree
        let found: Found
        let isComplete: Bool
        /// Whether the objects may have changed since.
        var isOld = false
    }

    /// The longest wait for objects after BlueZ reports that the services are resolved.
    private static let longestWait: Duration = .seconds(2)

    init(_ setting: DeviceSetting, loop: RunLoop) {
        self.setting = setting
        // Of a device with a recipe, blekeep reads only what is configured besides.
        readsPoints = setting.recipe == nil || !setting.device.characteristics.isEmpty
        self.loop = loop
        decoders = LayoutCache(own: setting.layouts)
    }

    /// Call this when the device's objects may have changed.
    func forget() { known?.isOld = true }

    /// Call this when the connection ended. On the next one, what was missing may be there.
    func unbind() { if known?.isComplete == false { known = nil } }

    /// Whether BlueZ's objects differ from those of the last search.
    var isOutdated: Bool { known.map { $0.tree != $0.link.tree } ?? true }

    /// Returns what is there on a connection.
    ///
    /// - Parameters:
    ///   - within: how long a read may take.
    ///   - end: the deadline of the search, and of the reads of descriptors.
    ///   - isWanted: returns whether the connection is still up.
    func search(on link: LinkCore, within: Duration, until end: Uptime, while isWanted: () -> Bool) async -> Found {
        let found = await find(on: link, within: min(Timing.read, within), until: end, isWanted: isWanted)
        for point in found.points where isWanted() && !point.isDescribed {
            // Reading descriptors may need pairing.
            await link.core.refusals.withAgent(if: true) { await point.describe(on: link, until: end) }
        }
        return isWanted() ? found : Found()
    }

    private func find(on link: LinkCore, within: Duration, until end: Uptime, isWanted: () -> Bool) async -> Found {
        if let found = stillKnown(on: link, within) { return found }
        var tree = link.tree
        var choice = choose(from: tree)
        let deadline = min(end, loop.now + Self.longestWait)
        while !isComplete(choice, from: tree, on: link), loop.now < deadline, isWanted() {
            try? await loop.sleep(until: min(deadline, loop.now + .milliseconds(200)))
            tree = link.tree
            choice = choose(from: tree)
        }
        guard isWanted() else { return Found() }
        let points = choice.points.map { plan in
            BoundPoint(plan, on: link, within: within, layout: decoders[plan.characteristic.uuid])
        }
        let found = Found(points: points, missing: choice.missing, services: link.services(in: tree))
        let isComplete = isComplete(choice, from: tree, on: link)
        known = Known(link: link, within: within, tree: tree, found: found, isComplete: isComplete)
        // A signal may be lost. When BlueZ's objects differ from these, they are searched again.
        if !isComplete, confirmed != tree {
            confirmed = tree
            link.refresh()
        }
        return found
    }

    private func stillKnown(on link: LinkCore, _ within: Duration) -> Found? {
        guard let known, known.link.core === link.core, known.link.device == link.device, known.within == within,
            !known.isOld || known.tree == link.tree
        else { return nil }
        self.known?.isOld = false
        return known.found
    }

    /// Whether there is all that blekeep needs. A battery level that BlueZ itself reads has no characteristic.
    private func isComplete(_ choice: PointChoice.Choice, from tree: GattTree, on link: LinkCore) -> Bool {
        guard readsPoints else { return !tree.services.isEmpty }
        let hasBattery = link.hasBattery
        guard choice.missing.allSatisfy({ hasBattery && $0.isBatteryLevel }) else { return false }
        return !choice.points.isEmpty || hasBattery && !setting.device.characteristics.isEmpty
    }

    private func choose(from tree: GattTree) -> PointChoice.Choice {
        guard readsPoints else { return ([], []) }
        return PointChoice.choose(from: tree, for: setting) { decoders[$0] != nil }
    }
}

/// The services that BlueZ shows of a connected device.
enum FoundServices: Sendable, Hashable {
    case some
    /// BlueZ reported that it resolved them, and shows none.
    case none
    /// BlueZ connected the device by classic Bluetooth, which has no characteristics.
    case classic
}

extension LinkCore {
    fileprivate func services(in tree: GattTree) -> FoundServices {
        if !tree.services.isEmpty { return .some }
        return hasClassicServices ? .classic : hasBattery ? .some : .none
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
    /// Whether users may write it. Then it needn't be readable.
    var isForWrites = false
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

    /// - Returns: the points in the order of their handles, and the configured characteristics that the device lacks.
    static func choose(from tree: GattTree, for setting: DeviceSetting, isKnown: (BluetoothUUID) -> Bool) -> Choice {
        guard !setting.device.characteristics.isEmpty else {
            let points = tree.characteristics.compactMap { sensible($0, for: setting, isKnown: isKnown) }
            return (numbered(points, in: tree), [])
        }
        var points: [PointPlan] = []
        var missing: [CharacteristicConfiguration] = []
        for wanted in setting.device.characteristics {
            let found = tree.characteristics.filter {
                $0.uuid == wanted.characteristic && (wanted.service == nil || wanted.service == $0.service)
            }
            if found.isEmpty { missing.append(wanted) }
            points += found.map { characteristic in
                PointPlan(
                    characteristic: characteristic, interval: wanted.interval ?? setting.interval,
                    subscribes: characteristic.canNotify && (wanted.notify || !characteristic.isReadable),
                    security: wanted.security, throttle: wanted.throttle ?? setting.throttle,
                    calibration: wanted.calibration, isForWrites: wanted.isWritable)
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
        _ characteristic: GattCharacteristic, for setting: DeviceSetting, isKnown: (BluetoothUUID) -> Bool
    ) -> PointPlan? {
        let presentation = characteristic.descriptors[BluetoothUUID(0x2904)]
        guard !genericServices.contains(characteristic.service),
            presentation != nil || isKnown(characteristic.uuid)
        else { return nil }
        var plan = PointPlan(characteristic: characteristic, interval: setting.interval, throttle: setting.throttle)
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
        return link.reading(plan.path, within: link.rest(until: end))
    }

    /// Reads the descriptors for a format without a layout. If a read fails, the next connection tries again.
    ///
    /// - Parameter end: no read begins after it.
    func describe(on link: LinkCore, until end: Uptime) async {
        guard !isDescribed else { return }
        let descriptors = plan.characteristic.descriptors
        var isComplete = true
        var described = form
        await described.complete { uuid in
            guard let path = descriptors[uuid] else { return nil }
            let rest = end - link.core.loop.now
            let bytes = rest > .zero ? try? await link.read(descriptor: path, within: min(rest, .seconds(5))) : nil
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

    init(own: [OwnLayout]) { self.own = own }

    /// The user's own layout, or the assigned one; `nil` without both.
    subscript(_ characteristic: BluetoothUUID) -> LayoutDecoder? {
        if let found = known[characteristic] { return found }
        let layout = LayoutDecoder(characteristic, own: own)
        known[characteristic] = .some(layout)
        return layout
    }
}
