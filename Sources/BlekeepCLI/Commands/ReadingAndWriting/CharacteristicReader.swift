import Blekeep
import BlekeepOutputs
import RunLoop

/// A characteristic of a connected device, and how to decode its values.
struct CharacteristicReader: Sendable {
    let device: DeviceConfiguration
    let characteristic: Link.Characteristic
    let form: ValueForm

    /// The name in the configuration, the official one, or the device's own; empty if there is none.
    var name: String { form.name }

    /// The name for users: the UUID when there is no name.
    var label: String { name.isEmpty ? characteristic.uuid.description : Untrusted(name).description }

    /// Creates a reader. Without a layout, it reads the descriptor that describes the value.
    init(
        _ characteristic: Link.Characteristic, of device: DeviceConfiguration, on link: Link, layouts: [OwnLayout]
    ) async {
        self.device = device
        self.characteristic = characteristic
        var form = ValueForm(of: characteristic.uuid, layout: LayoutDecoder(characteristic.uuid, own: layouts))
        await form.complete { uuid in
            guard let descriptor = characteristic.descriptors.first(where: { $0.uuid == uuid }) else { return nil }
            return try? await link.read(descriptor)
        }
        form.calibration = device.calibration(of: characteristic.uuid, in: characteristic.service)
        self.form = form
    }

    /// Returns the decoded and corrected values.
    private func measurements(_ bytes: [UInt8]) throws(DecodeError) -> [Measurement] {
        FieldCalibration.corrected(try form.decode(bytes), by: device.calibration)
    }

    /// Returns the decoded value in one line.
    func text(_ bytes: [UInt8]) -> String {
        do throws(DecodeError) { return MeasurementText.text(try measurements(bytes), of: characteristic.uuid) } catch {
            return "\(String(hex: bytes)) (\(error.message))"
        }
    }

    /// Returns the decoded values, or the failure to decode them, as readings.
    func readings(_ bytes: [UInt8]) -> [Reading] {
        do throws(DecodeError) {
            return try measurements(bytes).map { reading(.value($0, raw: bytes)) }
        } catch {
            return [reading(.failure(ReadingFailure(error.code, error.message), raw: bytes))]
        }
    }

    func failure(_ error: BluetoothError) -> Reading {
        let code = OpenEnum<FailureCode>(rawValue: error.code.rawValue)
        return reading(.failure(ReadingFailure(code: code, message: error.sentence(about: device.address)), raw: nil))
    }

    private func reading(_ outcome: Reading.Outcome) -> Reading {
        Reading(
            time: WallClock.milliseconds(), tick: 0, id: device.id, device: device.name, address: device.address,
            service: characteristic.service, characteristic: characteristic.uuid, name: name, outcome: outcome)
    }
}

/// Values in one line, in units for users. Flags have no place beside other values.
enum MeasurementText {
    static func text(_ measurements: [Measurement], of characteristic: BluetoothUUID? = nil) -> String {
        let shown = measurements.filter { !$0.isFlags }
        if shown.count == 1, let only = shown.first { return value(only, characteristic: characteristic) }
        return (shown.isEmpty ? measurements : shown).map {
            "\(Untrusted($0.field)) \(value($0, characteristic: characteristic))"
        }
        .joined(separator: ", ")
    }

    private static func value(_ measurement: Measurement, characteristic: BluetoothUUID?) -> String {
        let shown = DisplayUnit.human(measurement, of: characteristic)
        return Untrusted(shown.unit.isEmpty ? shown.value : "\(shown.value) \(shown.unit)", limit: 128).description
    }
}
