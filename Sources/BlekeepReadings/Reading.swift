/// The value of a field with its time and its device: a row of the history, and a line of output.
package struct Reading: Sendable, Hashable {
    /// When the value arrived, in milliseconds since 1970, UTC. Sort by the sequence number of the history instead.
    package var time: Int64
    /// The number of the device's tick that read the value; 0 when the device sent it by itself.
    package var tick: Int
    /// The device's ID, which stays when its alias or its address changes.
    package var id: DeviceID
    /// The device's alias, or its address without an alias.
    package var device: String
    /// The address that it had when the value arrived.
    package var address: BluetoothAddress
    /// `nil` for a failure of the whole device, and for manufacturer data.
    package var service: BluetoothUUID?
    /// `nil` for a failure of the whole device, for all advertisements, and for an answer to a recipe.
    package var characteristic: BluetoothUUID?
    /// The name of the recipe whose answer has the value, in place of a service and a characteristic; `nil` for all others.
    package var recipe: String?
    /// The number of the characteristic, from 1, among those with the same UUID in services with the same UUID, in the
    /// order of their handles.
    package var instance: Int
    /// The characteristic's official name, or the peripheral's name for it, or the format of an advertisement, such as
    /// `Ruuvi`, or the recipe's title; empty when unknown.
    package var name: String
    /// Whether the machine's clock was set when the value arrived. Otherwise `time` is wrong.
    package var isClockSet = true
    /// Whether the device kept the value in its own memory, and blekeep asked for it later. Such a reading has no sequence
    /// number, and is never the newest one.
    package var isLogged = false
    package var outcome: Outcome

    package enum Outcome: Sendable, Hashable {
        /// A field, and the bytes of the whole characteristic.
        case value(Measurement, raw: [UInt8])
        /// The reason for the failure, and the bytes, if they arrived but couldn't be decoded.
        case failure(ReadingFailure, raw: [UInt8]?)
    }

    /// - Parameter id: `nil` for that of a device without an ID of its own.
    package init(
        time: Int64, tick: Int, id: DeviceID? = nil, device: String, address: BluetoothAddress,
        service: BluetoothUUID?, characteristic: BluetoothUUID?, recipe: String? = nil, instance: Int = 1,
        name: String, outcome: Outcome
    ) {
        self.time = time
        self.tick = tick
        self.id = id ?? DeviceID(address)
        self.device = device
        self.address = address
        self.service = service
        self.characteristic = characteristic
        self.recipe = recipe
        self.instance = instance
        self.name = name
        self.outcome = outcome
    }

    /// Whether a failure is of the whole device, and not of a characteristic, an advertisement or a recipe.
    package var isOfWholeDevice: Bool { service == nil && characteristic == nil && recipe == nil }

    /// Whether the device sent the value without a connection. Of such values, the history has a repeated one once.
    package var isAdvertised: Bool { characteristic == nil && recipe == nil }

    /// Returns a field's name as all outputs show it: `temperature`, or `temperature#2` for the second instance.
    package static func fieldLabel(_ field: String, instance: Int) -> String {
        instance == 1 ? field : "\(field)#\(instance)"
    }
}

/// The reason for a missing value: a stable code for programs, and a sentence for users.
package struct ReadingFailure: Error, Sendable, Hashable, CustomStringConvertible {
    package var code: OpenEnum<FailureCode>
    package var message: String
    package var description: String { message.isEmpty ? code.rawValue : message }

    package init(code: OpenEnum<FailureCode>, message: String) { (self.code, self.message) = (code, message) }

    package init(_ code: FailureCode, _ message: String) { self.init(code: .known(code), message: message) }
}

/// A reading in the history, with its sequence number.
package struct StoredReading: Sendable, Hashable {
    /// Rises with each reading of a history, from 1, also across restarts and clock changes.
    package var sequence: Int64
    package var reading: Reading

    /// The numbers of values that devices kept in their own memory are above this one, those of all others below.
    package static let loggedBase: Int64 = 1 << 51

    package init(sequence: Int64, reading: Reading) { (self.sequence, self.reading) = (sequence, reading) }
}

/// A reading as sinks publish it, perhaps before the history stores it.
package struct LiveReading: Sendable, Hashable {
    /// The reading's sequence number in the history; `nil` until the history stores it.
    package var sequence: Int64?
    package var reading: Reading
    /// The number of a value that its device kept in its own memory, for a sink that tells values apart by numbers.
    package var arrival: Int64?

    package init(sequence: Int64?, reading: Reading) { (self.sequence, self.reading) = (sequence, reading) }

    /// A value that its device kept in its own memory, with the number of its arrival.
    package init(logged stored: StoredReading) {
        self.init(sequence: nil, reading: stored.reading)
        arrival = stored.sequence
    }

    package init(_ stored: StoredReading) { self.init(sequence: stored.sequence, reading: stored.reading) }
}
