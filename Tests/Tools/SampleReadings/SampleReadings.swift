import Blekeep

/// Why a sample cannot be made.
package enum SampleError: Error {
    case notAnAddress(String)
    case noFolder(errno: Int32)
}

/// 2026-11-21T03:18:00.123Z
package let someTime: Int64 = 1_795_231_080_123

package func makeReading(
    _ outcome: Reading.Outcome = makeValue(.number(21.93)), device: String = "greenhouse", name: String = "Temperature",
    time: Int64 = someTime, tick: Int = 3, id: DeviceID? = nil, address: String = "F0:00:00:00:00:01"
) throws -> Reading {
    guard let address = BluetoothAddress(address) else { throw SampleError.notAnAddress(address) }
    return Reading(
        time: time, tick: tick, id: id, device: device, address: address, service: BluetoothUUID(0x181A),
        characteristic: BluetoothUUID(0x2A6E), name: name, outcome: outcome)
}

/// A value of a battery, which a recipe asked for.
package func makeAnswer(
    _ outcome: Reading.Outcome = makeValue(.number(3.43), field: "cell_3", unit: "V")
) throws -> Reading {
    var reading = try makeReading(outcome, device: "battery", name: "JBD battery")
    (reading.service, reading.characteristic, reading.recipe) = (nil, nil, "jbd")
    return reading
}

/// Two packets of manufacturer data with one field name: 20 °C in one format, and 30 °C in the other.
package func makePackets() throws -> [Reading] {
    try [("Ruuvi", 20.5), ("Govee", 30.5)].enumerated().map { index, packet in
        var reading = try makeReading(
            makeValue(.number(packet.1)), name: packet.0, time: someTime + Int64(index), tick: 0)
        (reading.service, reading.characteristic) = (nil, nil)
        return reading
    }
}

package func makeValue(
    _ value: MeasuredValue?, field: String = "temperature", state: String? = nil, unit: String? = "°C",
    raw: [UInt8] = [0x91, 0x08]
) -> Reading.Outcome {
    .value(Measurement(field: field, value: value, state: state, unit: unit), raw: raw)
}

package func makeFailure(
    _ message: String = "it does not answer", code: String = "timeout", raw: [UInt8]? = nil
) -> Reading.Outcome {
    .failure(ReadingFailure(code: OpenEnum(rawValue: code), message: message), raw: raw)
}

package func makeStored(
    _ outcome: Reading.Outcome, name: String = "Temperature", device: String = "greenhouse"
) throws -> StoredReading {
    StoredReading(sequence: 17, reading: try makeReading(outcome, device: device, name: name))
}

package func makeLive(_ outcome: Reading.Outcome) throws -> LiveReading { LiveReading(try makeStored(outcome)) }
