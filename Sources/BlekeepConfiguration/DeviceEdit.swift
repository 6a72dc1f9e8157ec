import BlekeepRecords
import Yams

/// A change to a device in the text of a configuration file. Comments and the order of the lines stay.
///
/// It edits the text where YAML's parser found the device, and then reads the new text to check that only this changed.
package enum DeviceEdit: Sendable, Hashable {
    case value(DeviceValue)
    /// Removes a key and its value.
    case absence(of: String)
    /// Puts another sensor in the device's place, under the same ID, and so the same history, topics and entities.
    case replacement(by: BluetoothAddress, id: DeviceID)
    /// Removes the device from the list.
    case removal

    /// Returns the changed text. Throws the mistakes in the text, or the reason why the user must edit it.
    package func applied(
        to address: BluetoothAddress, in text: String, file: String, names: CharacteristicNames
    ) throws(ConfigurationErrors) -> String {
        let before = ConfigurationPart(text, file: file, names: names)
        guard before.problems.isEmpty else { throw ConfigurationErrors(before.problems) }
        guard let device = YAMLItem(address, in: text) else { throw byHand(address, file: file, place: nil) }
        let place = ConfigurationLocation(file: file, line: device.mark.line, column: device.mark.column)
        guard let new = changed(device) else {
            throw byHand(address, file: file, place: place, isInBrackets: device.isInBrackets)
        }
        let isExpected = before.becomes(new, file: file, names: names) { configuration in
            guard let index = configuration.poll.devices.firstIndex(where: { $0.address == address }) else { return }
            let device = changed(configuration.poll.devices[index], names: names)
            configuration.poll.devices.replaceSubrange(index...index, with: [device].compactMap(\.self))
        }
        guard isExpected else { throw byHand(address, file: file, place: place) }
        return new
    }

    /// Whether a text has no settings, except for a list of devices without any.
    package static func isEmpty(_ text: String) -> Bool {
        guard let root = try? Yams.compose(yaml: text, .default, .default, .utf8), !(root.scalar?.isNull ?? false)
        else { return true }
        guard let mapping = root.mapping, mapping.keys.allSatisfy({ $0.string == "devices" }) else { return false }
        return mapping.values.allSatisfy { $0.scalar?.isNull ?? ($0.sequence?.isEmpty ?? false) }
    }

    private func changed(_ device: YAMLItem) -> String? {
        switch self {
        case .value(let value): device.setting(value.key, to: value.yaml)
        case .absence(let key): device.removing(key)
        case .replacement(let new, let id): Self.replaced(device, by: new, id: id)
        case .removal: device.removed()
        }
    }

    private static func replaced(_ device: YAMLItem, by new: BluetoothAddress, id: DeviceID) -> String? {
        guard let text = device.setting("address", to: YAMLString.scalar(new.description)),
            let moved = YAMLItem(new, in: text)
        else { return nil }
        return id == DeviceID(new) ? moved.removing("id") : moved.setting("id", to: YAMLString.scalar(id.description))
    }

    /// Returns the device as it is after the edit; `nil` when it is gone.
    package func changed(_ device: DeviceConfiguration, names: CharacteristicNames) -> DeviceConfiguration? {
        var device = device
        switch self {
        case .value(let value):
            guard let part = value.part(names).configuration.poll.devices.first else { return device }
            DeviceValue.key(value.key)?.replace(from: part, in: &device)
        case .absence(let key): DeviceValue.key(key)?.replace(from: .blank, in: &device)
        case .replacement(let new, let id):
            device.address = new
            device.ownID = id == DeviceID(new) ? nil : id
        case .removal: return nil
        }
        return device
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

extension ConfigurationPart {
    /// Whether a text is what this part is after a change.
    fileprivate func becomes(
        _ text: String, file: String, names: CharacteristicNames, after change: (inout Configuration) -> Void
    ) -> Bool {
        let new = ConfigurationPart(text, file: file, names: names)
        var expected = configuration
        change(&expected)
        return new.problems.isEmpty && new.configuration == expected
    }
}

/// What a device's new name changes in the text of a rule. A rule by a tag or an ID stays as it is.
package struct RuleEdit: Sendable, Hashable {
    package let rule: String
    private let when: Rule.Condition

    /// - Returns: `nil` when the rule doesn't call the device by a name that it no longer has.
    package init?(_ rule: Rule, about device: DeviceConfiguration, now new: DeviceConfiguration) {
        guard case .device(let name) = rule.when.subject, rule.when.subject.includes(device),
            !rule.when.subject.includes(new)
        else { return nil }
        // An alias may have words that mean something else in a rule. An ID has none.
        let names = device.isCalled(name) ? new.names : [new.address.description]
        guard let when = names.lazy.compactMap({ rule.when.naming($0) }).first else { return nil }
        (self.rule, self.when) = (rule.name, when)
    }

    /// Returns the changed text. Throws the mistakes in the text, or the reason why the user must edit it.
    package func applied(
        in text: String, file: String, names: CharacteristicNames
    ) throws(ConfigurationErrors) -> String {
        let before = ConfigurationPart(text, file: file, names: names)
        guard before.problems.isEmpty else { throw ConfigurationErrors(before.problems) }
        let item = YAMLItem(in: text, of: "rules", by: "name") { $0 == rule }
        let new = item?.setting("when", to: YAMLString.scalar(when.text, of: "when"))
        guard let new,
            before.becomes(
                new, file: file, names: names,
                after: { configuration in
                    let index = configuration.poll.rules.firstIndex { $0.name == rule }
                    if let index { configuration.poll.rules[index].when = when }
                })
        else {
            let place = ConfigurationLocation(file: file, line: item?.mark.line, column: item?.mark.column)
            let message =
                "the rule `\(rule)` is written in a way that blekeep can't change; write `when: \(when)` there first"
            throw ConfigurationErrors([ConfigurationProblem(place: place, message: message)])
        }
        return new
    }
}

/// A value of a key of a device, as a file has it.
package struct DeviceValue: Sendable, Hashable {
    package let key: String
    /// The value in one line.
    package let yaml: String

    fileprivate static func key(_ name: String) -> Key<DeviceConfiguration>? {
        DeviceConfiguration.keys.first { $0.facts.name == name }
    }

    package static var keys: [String] { DeviceConfiguration.keys.map(\.facts.name) }

    /// - Parameters:
    ///   - text: the value as in a file, but without quotes; a list also as words between commas.
    ///   - device: the device so far, for a field's `temperature.offset` and `temperature.factor`.
    /// - Throws: what the reader of files says about an unknown key, or another value.
    package init(
        _ key: String, _ text: String, of device: DeviceConfiguration, names: CharacteristicNames
    ) throws(ConfigurationErrors) {
        guard !["factor", "offset"].contains(key) else {
            let message = "`\(key)` is for a field; write it with a point, such as `temperature.\(key)`"
            throw ConfigurationErrors([ConfigurationProblem(place: ConfigurationLocation(file: ""), message: message)])
        }
        if let correction = Correction(key) {
            let value = YAMLString.scalar(Self.trimmed(text[...]), of: correction.key)
            self.init(calibration: correction.changed(device.calibration, to: value))
        } else if Self.key(key)?.facts.isSequence == true, !text.hasPrefix("[") {
            let words = text.split(separator: ",").map { YAMLString.scalar(Self.trimmed($0)) }
            self.init(key: key, yaml: "[\(words.joined(separator: ", "))]")
        } else {
            let isCollection = "[{".contains(text.prefix(1)) && !text.isEmpty
            self.init(key: key, yaml: isCollection ? text : YAMLString.scalar(Self.trimmed(text[...]), of: key))
        }
        let problems = part(names).problems
        guard problems.isEmpty else { throw ConfigurationErrors(problems) }
    }

    private init(key: String, yaml: String) { (self.key, self.yaml) = (key, yaml) }

    private init(calibration items: [String]) {
        self.init(key: "calibration", yaml: "[\(items.joined(separator: ", "))]")
    }

    /// Returns what is left of a device's calibration without a factor or an offset; `nil` for nothing.
    package static func calibration(of device: DeviceConfiguration, without key: String) -> DeviceValue? {
        guard let correction = Correction(key) else { return nil }
        let items = correction.changed(device.calibration, to: nil)
        return items.isEmpty ? nil : DeviceValue(calibration: items)
    }

    /// Returns the key in the file, such as `calibration` for `temperature.offset`.
    package static func key(of text: String) -> String { Correction(text) == nil ? text : "calibration" }

    /// A file with only this value. An address stands in another place.
    fileprivate func part(_ names: CharacteristicNames) -> ConfigurationPart {
        let address = key == "address" ? "" : "address: F0:00:00:00:00:01, "
        let isSafe = !yaml.unicodeScalars.contains { $0 == "\n" || $0 == "\r" }
        return ConfigurationPart(
            "devices: [{\(address)\(YAMLString.scalar(key)): \(isSafe ? yaml : "")}]", file: "", names: names)
    }

    private static func trimmed(_ text: Substring) -> String {
        String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }

    /// A factor or an offset of a field: `temperature.offset`.
    private struct Correction {
        let field: String
        let key: String

        init?(_ text: String) {
            let parts = text.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count == 2, ["factor", "offset"].contains(parts[1]) else { return nil }
            (field, key) = (String(parts[0]), String(parts[1]))
        }

        /// Returns the items of a calibration with another value, or without it.
        func changed(_ fields: [FieldCalibration], to value: String?) -> [String] {
            var fields = fields
            if !fields.contains(where: { $0.name == field }) { fields.append(FieldCalibration(name: field)) }
            return fields.compactMap { other in
                var pairs: [(key: String, text: String)] = []
                if let factor = other.calibration?.factor, factor != .one {
                    pairs.append(("factor", factor.description))
                }
                if let offset = other.calibration?.offset, offset != .zero {
                    pairs.append(("offset", offset.description))
                }
                if other.name == field {
                    pairs.removeAll { $0.key == key }
                    if let value { pairs.append((key, value)) }
                }
                guard !pairs.isEmpty else { return nil }
                let texts = pairs.map { "\($0.key): \($0.text)" }
                return "{name: \(YAMLString.scalar(other.name)), \(texts.joined(separator: ", "))}"
            }
        }
    }
}
