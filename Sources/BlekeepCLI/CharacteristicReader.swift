import Blekeep
import BlekeepOutputs
import RunLoop

/// A characteristic of a connected device, with what is known of the form of its values.
struct CharacteristicReader: Sendable {
    let device: DeviceConfiguration
    let characteristic: Link.Characteristic
    /// The official name, or what the device calls it; empty if neither is known.
    private(set) var name: String
    private let decoder: (any Decoder)?
    private(set) var presentation: PresentationFormat?

    /// Whether the form of its values is known.
    var isUnderstood: Bool { decoder != nil || presentation != nil }

    /// Asks the device what its value means where no layout says so.
    ///
    /// - Parameter layouts: a person's own, which come first.
    init(
        _ characteristic: Link.Characteristic, of device: DeviceConfiguration, on link: Link, layouts: [OwnLayout]
    ) async {
        self.device = device
        self.characteristic = characteristic
        let layout = LayoutDecoder(characteristic.uuid, own: layouts)
        decoder = layout
        name = layout?.name ?? ""
        if name.isEmpty { name = AssignedNumbers.characteristicName(characteristic.uuid) ?? "" }
        guard layout == nil else { return }
        if let format = characteristic.descriptors.first(where: { $0.uuid == BluetoothUUID(0x2904) }),
            let octets = try? await link.read(format)
        {
            presentation = try? PresentationFormat(octets)
        }
        if name.isEmpty,
            let description = characteristic.descriptors.first(where: { $0.uuid == BluetoothUUID(0x2901) }),
            let octets = try? await link.read(description)
        {
            name = String(decoding: octets.prefix(128).filter { $0 != 0 }, as: UTF8.self)
        }
    }

    /// What the octets say; raw octets as hexadecimal digits when nothing is known of their form.
    func measurements(_ octets: [UInt8]) throws(DecodeError) -> [Measurement] {
        if let decoder { return try decoder.decode(octets) }
        if let presentation { return [try presentation.decode(octets)] }
        return [Measurement(field: "value", value: .text(Hexadecimal.text(octets)))]
    }

    /// The same as readings, as everything that prints values takes them.
    func readings(_ octets: [UInt8]) -> [Reading] {
        do throws(DecodeError) {
            return try measurements(octets).map { reading(.value($0, raw: octets)) }
        } catch {
            return [reading(.failure(ReadingFailure(code: error.code, message: error.message), raw: octets))]
        }
    }

    func failure(_ error: BluetoothError) -> Reading {
        reading(.failure(ReadingFailure(code: error.code.rawValue, message: error.description), raw: nil))
    }

    private func reading(_ outcome: Reading.Outcome) -> Reading {
        Reading(
            time: WallClock.milliseconds(), tick: 0, device: device.name, address: device.address,
            service: characteristic.service, characteristic: characteristic.uuid, name: name, outcome: outcome)
    }
}

/// Values in one line for people.
enum MeasurementText {
    static func text(_ measurements: [Measurement]) -> String {
        if measurements.count == 1, let only = measurements.first { return value(only) }
        return measurements.map { "\(Untrusted($0.field)) \(value($0))" }.joined(separator: ", ")
    }

    private static func value(_ measurement: Measurement) -> String {
        let shown = DisplayUnit.human(measurement)
        return Untrusted(shown.unit.isEmpty ? shown.value : "\(shown.value) \(shown.unit)", limit: 128).description
    }
}
