/// When a sensor's battery is low: by its charge where the sensor says that, else by its voltage. Pure.
///
/// A voltage says when a cell ends, and not how much it holds: a coin cell keeps its voltage until shortly before.
package struct BatteryLimits: Sendable, Hashable {
    /// A battery with less charge is low, in percent.
    package var percent: Int
    /// What devices run on. Only of these, a voltage says something: it may be that of a car's battery.
    package var batteries: [DeviceID: Battery]

    package static let usualPercent = 20

    package init(percent: Int = Self.usualPercent, batteries: [DeviceID: Battery] = [:]) {
        self.percent = percent
        self.batteries = batteries
    }

    /// Returns the voltage below which a device's battery is low, in V; `nil` for a device of which nobody said what it runs
    /// on, or that runs on mains.
    ///
    /// - Parameter temperature: in °C; cold lowers the voltage of lithium. Source of the limits: Ruuvi's app.
    package func voltage(of device: DeviceID, at temperature: Double?) -> Double? {
        switch batteries[device] {
        case .cr2032?, .cr2450?, .cr2477?:
            guard let temperature, temperature < 0 else { return 2.5 }
            return temperature < -20 ? 2.0 : 2.3
        // Two alkaline cells are empty at 1 V each.
        case .twoAAA?, .twoAA?: return 2.1
        case .mains?, nil: return nil
        }
    }
}
