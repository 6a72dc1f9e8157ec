import Blekeep
import BlekeepOutputs
import BlekeepService
import DBus

/// Reads a device through the running poller, so that both don't compete for its only connection.
struct PolledRead {
    private let poller: RunningPoller
    private let device: PollerClient.Device
    private let points: [Point]

    /// A characteristic that the poller reads.
    private struct Point: Hashable {
        let service: BluetoothUUID?
        let characteristic: BluetoothUUID?
        let instance: Int

        init(_ reading: Reading) {
            service = reading.service
            characteristic = reading.characteristic
            instance = reading.instance
        }
    }

    /// - Returns: `nil` when no poller reads all these characteristics of the device.
    init?(_ device: DeviceConfiguration, names: [CharacteristicName], in context: CommandContext) async {
        guard context.options.adapter == nil, await RunningPoller.isThere(context),
            let poller = try? await RunningPoller(context),
            let kept = poller.devices.first(where: { $0.address == device.address.description }), !kept.isPaused
        else { return nil }
        let known = Set(kept.values.map(Point.init))
        let chosen = names.map { name in
            known.filter { $0.characteristic == name.uuid && name.matches($0.service, instance: $0.instance) }
        }
        guard chosen.allSatisfy({ $0.count == 1 }) else { return nil }
        self.poller = poller
        self.device = kept
        points = chosen.flatMap(\.self)
    }

    /// Returns the values of a characteristic in one line; `nil` without a value.
    ///
    /// - Parameter hex: whether to return only the bytes.
    static func text(_ readings: [Reading], hex: Bool) -> String? {
        guard let first = readings.first, case .value(_, let raw) = first.outcome else { return nil }
        if hex { return String(hex: raw) }
        let measurements = readings.compactMap { reading -> Measurement? in
            if case .value(let measurement, _) = reading.outcome { measurement } else { nil }
        }
        let name = first.name.isEmpty ? first.characteristic?.description ?? "" : Untrusted(first.name).description
        return "\(name)  \(MeasurementText.text(measurements, of: first.characteristic))"
    }

    /// Reads the characteristics.
    ///
    /// - Returns: the values of each characteristic, empty for one that the device didn't give; `nil` when the user may
    ///   not make the poller read.
    func values() async throws(Failure) -> [[Reading]]? {
        let before = Set(device.values)
        func fresh(_ readings: [Reading], point: Point) -> [Reading] {
            readings.filter { Point($0) == point && !before.contains($0) }
        }
        do throws(BusError) {
            let readings = try await poller.read(device) { readings in
                points.allSatisfy { !fresh(readings, point: $0).isEmpty }
            }
            return points.map { fresh(readings, point: $0) }
        } catch .remote("org.freedesktop.DBus.Error.AccessDenied", _) {
            return nil
        } catch { throw RunningPoller.failure(error) }
    }
}
