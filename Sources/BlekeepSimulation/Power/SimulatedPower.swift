import BlekeepRecords
import DBus
import RunLoop

/// UPower and power-profiles-daemon of a laptop, or of a machine without a battery.
package final class SimulatedPower: @unchecked Sendable {
    /// The current data of UPower.
    package struct Supply: Sendable, Hashable {
        package var onBattery: Bool
        package var type: UInt32
        package var isPresent: Bool
        package var percentage: Double
        package var state: UInt32
        package var warningLevel: UInt32

        /// Returns data for a time on battery, with UPower's default warning levels.
        package static func battery(_ percentage: Double) -> Supply {
            let level: UInt32 = percentage <= 2 ? 5 : percentage <= 5 ? 4 : percentage <= 20 ? 3 : 1
            return Supply(
                onBattery: true, type: 2, isPresent: true, percentage: percentage, state: 2, warningLevel: level)
        }

        package static func mains(_ percentage: Double) -> Supply {
            Supply(onBattery: false, type: 2, isPresent: true, percentage: percentage, state: 1, warningLevel: 1)
        }

        /// Data without a battery: type 0, 0 %.
        package static let none = Supply(
            onBattery: false, type: 0, isPresent: false, percentage: 0, state: 0, warningLevel: 1)
    }

    package private(set) var supply: Supply
    package private(set) var profile = "balanced"
    private let connect: @Sendable () async throws(BusError) -> any Bus
    private var bus: (any Bus)?
    /// The times without the daemons. The last one may go on.
    package private(set) var absences: [(from: Uptime, to: Uptime)] = []

    package init(_ supply: Supply = .none, connect: @escaping @Sendable () async throws(BusError) -> any Bus) {
        self.supply = supply
        self.connect = connect
    }

    /// Starts the daemons. Their names and objects exist when this returns.
    package func start() async throws(BusError) {
        guard bus == nil else { return }
        let bus = try await connect()
        self.bus = bus
        if let last = absences.indices.last { absences[last].to = bus.loop.now }
        bus.onClose = { [weak self] in self?.leave() }
        let upower = ExportedInterface(UPower.self)
        upower.serve(UPower.onBattery) { [unowned self] in self.supply.onBattery }
        bus.export(ExportedObject(UPower.path, [upower]))
        let device = ExportedInterface(UPowerDevice.self)
        device.serve(UPowerDevice.type) { [unowned self] in self.supply.type }
        device.serve(UPowerDevice.isPresent) { [unowned self] in self.supply.isPresent }
        device.serve(UPowerDevice.percentage) { [unowned self] in self.supply.percentage }
        device.serve(UPowerDevice.state) { [unowned self] in self.supply.state }
        device.serve(UPowerDevice.warningLevel) { [unowned self] in self.supply.warningLevel }
        bus.export(ExportedObject(UPowerDevice.path, [device]))
        let profiles = ExportedInterface(PowerProfiles.self)
        profiles.serve(PowerProfiles.activeProfile) { [unowned self] in self.profile }
        bus.export(ExportedObject(PowerProfiles.path, [profiles]))
        let former = ExportedInterface(HadessPowerProfiles.self)
        former.serve(HadessPowerProfiles.activeProfile) { [unowned self] in self.profile }
        bus.export(ExportedObject(HadessPowerProfiles.path, [former]))
        for name in [UPower.service, PowerProfiles.service, HadessPowerProfiles.service] { try await bus.claim(name) }
    }

    /// Ends the daemons, without replies to waiting calls.
    package func stop() {
        bus?.close()
        leave()
    }

    private func leave() {
        if let bus { absences.append((bus.loop.now, .never)) }
        bus = nil
    }

    package var isRunning: Bool { bus != nil }

    /// Changes the supply. UPower sends a signal for each of its two objects.
    package func set(_ new: Supply) {
        supply = new
        changed(UPower.path, interface: UPower.name, properties: [UPower.onBattery.name.text: Variant(new.onBattery)])
        changed(
            UPowerDevice.path, interface: UPowerDevice.name,
            properties: [
                UPowerDevice.type.name.text: Variant(new.type),
                UPowerDevice.isPresent.name.text: Variant(new.isPresent),
                UPowerDevice.percentage.name.text: Variant(new.percentage),
                UPowerDevice.state.name.text: Variant(new.state),
                UPowerDevice.warningLevel.name.text: Variant(new.warningLevel),
            ])
    }

    package func set(profile new: String) {
        profile = new
        changed(
            PowerProfiles.path, interface: PowerProfiles.name,
            properties: [PowerProfiles.activeProfile.name.text: Variant(new)])
        changed(
            HadessPowerProfiles.path, interface: HadessPowerProfiles.name,
            properties: [HadessPowerProfiles.activeProfile.name.text: Variant(new)])
    }

    /// Sends a change of any form, true or not.
    package func changed(_ path: ObjectPath, interface: InterfaceName, properties: Properties) {
        let none: [String] = []
        bus?.emit(
            Signal(
                path, interface: PropertiesInterface.name, member: PropertiesInterface.propertiesChanged.name,
                arguments: [interface.text.value, properties.value, none.value]))
    }
}
