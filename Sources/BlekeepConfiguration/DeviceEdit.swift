import BlekeepRecords
import Yams

/// A change to a device in the text of a configuration file. Comments and the order of the lines stay.
///
/// It edits the text where YAML's parser found the device, and then reads the new text to check that only this changed.
package enum DeviceEdit: Sendable, Hashable {
    case alias(String)
    case enabled(Bool)
    /// Removes the device from the list.
    case removal

    /// Returns the changed text.
    ///
    /// - Throws: the mistakes in the text, or the reason why the user must edit it.
    package func applied(
        to address: BluetoothAddress, in text: String, file: String, names: CharacteristicNames
    ) throws(ConfigurationErrors) -> String {
        let before = ConfigurationPart(text, file: file, names: names)
        guard before.problems.isEmpty else { throw ConfigurationErrors(before.problems) }
        guard let device = YAMLDevice(address, in: text) else { throw byHand(address, file: file, place: nil) }
        let place = ConfigurationLocation(file: file, line: device.mark.line, column: device.mark.column)
        guard let new = changed(device, in: text) else {
            throw byHand(address, file: file, place: place, isInBrackets: device.isInBrackets)
        }
        let after = ConfigurationPart(new, file: file, names: names)
        guard after.problems.isEmpty, configuration(after) == expected(configuration(before), address: address) else {
            throw byHand(address, file: file, place: place)
        }
        return new
    }

    /// Whether a text has no settings, except for a list of devices without any.
    package static func isEmpty(_ text: String) -> Bool {
        guard let root = try? Yams.compose(yaml: text, .default, .default, .utf8), !(root.scalar?.isNull ?? false)
        else {
            return true
        }
        guard let mapping = root.mapping, mapping.keys.allSatisfy({ $0.string == "devices" }) else { return false }
        return mapping.values.allSatisfy { $0.scalar?.isNull ?? ($0.sequence?.isEmpty ?? false) }
    }

    private func changed(_ device: YAMLDevice, in text: String) -> String? {
        switch self {
        case .alias(let alias): device.setting("alias", to: YAMLString.scalar(alias))
        case .enabled(false): device.setting("enabled", to: "false")
        case .enabled(true): device.removing("enabled", asFor: "true")
        case .removal: device.removed()
        }
    }

    private func configuration(_ part: ConfigurationPart) -> Configuration {
        ConfigurationMerge([part]).configuration
    }

    /// Returns the configuration as it must be after the edit.
    private func expected(_ configuration: Configuration, address: BluetoothAddress) -> Configuration {
        var configuration = configuration
        guard let index = configuration.poll.devices.firstIndex(where: { $0.address == address }) else {
            return configuration
        }
        switch self {
        case .alias(let alias): configuration.poll.devices[index].alias = alias
        case .enabled(let flag): configuration.poll.devices[index].isEnabled = flag
        case .removal: configuration.poll.devices.remove(at: index)
        }
        return configuration
    }

    private func byHand(
        _ address: BluetoothAddress, file: String, place: ConfigurationLocation?, isInBrackets: Bool = false
    ) -> ConfigurationErrors {
        let why =
            self == .removal && isInBrackets
            ? "blekeep can't remove the device \(address) from a list in brackets, such as `devices: [{…}]`"
            : "the device \(address) is written in a way that blekeep can't change"
        return ConfigurationErrors([
            ConfigurationProblem(
                place: place ?? ConfigurationLocation(file: file), message: "\(why); edit the file yourself")
        ])
    }
}
