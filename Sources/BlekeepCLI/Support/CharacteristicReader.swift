import Blekeep
import BlekeepOutputs
import RunLoop

/// A characteristic of a connected device, with what is known of the form of its values.
struct CharacteristicReader: Sendable {
    let device: DeviceConfiguration
    let characteristic: Link.Characteristic
    let form: ValueForm

    /// Somebody's own name, the official one, or what the device calls it; empty if there is none.
    var name: String { form.name }

    /// What to call it before a person.
    var label: String { name.isEmpty ? characteristic.uuid.description : Untrusted(name).description }

    /// Asks the device what its value means where no layout says so.
    init(
        _ characteristic: Link.Characteristic, of device: DeviceConfiguration, on link: Link, layouts: [OwnLayout]
    ) async {
        self.device = device
        self.characteristic = characteristic
        var form = ValueForm(
            of: characteristic.uuid, layout: LayoutDecoder(characteristic.uuid, own: layouts))
        await form.complete { uuid in
            guard let descriptor = characteristic.descriptors.first(where: { $0.uuid == uuid }) else { return nil }
            return try? await link.read(descriptor)
        }
        self.form = form
    }

    /// What the octets say, in one line for people.
    func text(_ octets: [UInt8]) -> String {
        do throws(DecodeError) { return MeasurementText.text(try form.decode(octets)) } catch {
            return "\(String(hex: octets)) (\(error.message))"
        }
    }

    /// What they say as readings, as everything that prints values takes them.
    func readings(_ octets: [UInt8]) -> [Reading] {
        do throws(DecodeError) {
            return try form.decode(octets).map { reading(.value($0, raw: octets)) }
        } catch {
            return [reading(.failure(ReadingFailure(error.code, error.message), raw: octets))]
        }
    }

    func failure(_ error: BluetoothError) -> Reading {
        let code = OpenEnum<FailureCode>(rawValue: error.code.rawValue)
        return reading(.failure(ReadingFailure(code: code, message: error.sentence(about: device.address)), raw: nil))
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
