/// A decoded, stamped value of one field of one characteristic: one row of the history, one line of output.
package struct Reading: Sendable, Hashable {
    /// When the value arrived: milliseconds since 1970, UTC. A label only: order is the history's sequence number.
    package var time: Int64
    /// The number of the device's tick that asked for it; 0 for a value that came by itself.
    package var tick: Int
    /// The device's alias, or its address where it has none.
    package var device: String
    package var address: BluetoothAddress
    /// `nil` with a failure that befell the device as a whole, and with what a maker's advertisement says.
    package var service: BluetoothUUID?
    /// `nil` in these cases and for all other advertisements.
    package var characteristic: BluetoothUUID?
    /// The number of the characteristic, from 1 on, among those with its UUID in services of the same UUID, in the order
    /// of their handles.
    package var instance: Int
    /// The characteristic's official name, or what the peripheral calls it; that of an
    /// advertisement's format, such as `Ruuvi`; empty if nothing is known.
    package var name: String
    /// Whether the machine's clock was set when the value arrived: `time` is nothing to go by otherwise.
    package var isClockSet = true
    package var outcome: Outcome

    package enum Outcome: Sendable, Hashable {
        /// The field, and the octets of the whole characteristic as they came.
        case value(Measurement, raw: [UInt8])
        /// The read failed, or its octets made no sense: then they are here too.
        case failure(ReadingFailure, raw: [UInt8]?)
    }

    package init(
        time: Int64, tick: Int, device: String, address: BluetoothAddress, service: BluetoothUUID?,
        characteristic: BluetoothUUID?, instance: Int = 1, name: String, outcome: Outcome
    ) {
        self.time = time
        self.tick = tick
        self.device = device
        self.address = address
        self.service = service
        self.characteristic = characteristic
        self.instance = instance
        self.name = name
        self.outcome = outcome
    }

    /// Returns a field's name as all outputs show it: `temperature`, or `temperature#2` of the second instance.
    package static func fieldLabel(_ field: String, instance: Int) -> String {
        instance == 1 ? field : "\(field)#\(instance)"
    }
}

/// Why there is no value: a stable code for programs and a sentence for people.
package struct ReadingFailure: Error, Sendable, Hashable {
    package var code: OpenEnum<FailureCode>
    package var message: String

    package init(code: OpenEnum<FailureCode>, message: String) {
        self.code = code
        self.message = message
    }

    package init(_ code: FailureCode, _ message: String) { self.init(code: .known(code), message: message) }
}

/// A reading that the history has taken, with its place in the order of all readings.
package struct StoredReading: Sendable, Hashable {
    /// Rises strictly within a history, over restarts and clock changes; starts at 1.
    package var sequence: Int64
    package var reading: Reading

    package init(sequence: Int64, reading: Reading) {
        self.sequence = sequence
        self.reading = reading
    }
}
