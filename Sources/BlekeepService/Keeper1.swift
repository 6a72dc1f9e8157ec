import BlekeepRecords
import DBus

/// The running poller: exported by blekeep at `/org/blekeep`.
package enum Keeper1: Interface {
    package static let name: InterfaceName = "org.blekeep.Keeper1"
    package static let service: BusName = "org.blekeep"
    package static let path: ObjectPath = "/org/blekeep"

    /// Reads all devices that aren't paused, and returns when all were read.
    package static let pollNow: Method<Nothing> = method("PollNow")
    /// Pauses all devices: for this many seconds, or with 0 until `Resume`.
    package static let pause: Method<Nothing, UInt64> = method("Pause")
    package static let resume: Method<Nothing> = method("Resume")
    /// Reads the configuration again. With a mistake, nothing changes, and the error
    /// `org.blekeep.Error.BadConfiguration` has all of them.
    package static let reload: Method<Nothing> = method("Reload")

    package static let version: Property<String> = property("Version")
    package static let powerMode: Property<String> = property("PowerMode")
    package static let powerReason: Property<String> = property("PowerReason")
    /// The code of an outage that prevents polling of all devices; empty without one.
    package static let outage: Property<String> = property("Outage")
    package static let outageMessage: Property<String> = property("OutageMessage")
    /// `Name`, `On`, and `Trouble` of an adapter that has one.
    package static let adapters: Property<[Properties]> = property("Adapters")
    /// `Name`, `Backlog`, and `Error` of a sink that has one.
    package static let sinks: Property<[Properties]> = property("Sinks")

    package static let members: [any Member] = [
        pollNow, pause, resume, reload, version, powerMode, powerReason, outage, outageMessage, adapters, sinks,
    ]
}

/// A device of the running poller: exported by blekeep at `/org/blekeep/dev_f00000000001`. Times are in
/// milliseconds since 1970, and durations in milliseconds.
package enum KeptDevice1: Interface {
    package static let name: InterfaceName = "org.blekeep.Device1"

    /// Reads the device, and returns when it was read.
    package static let pollNow: Method<Nothing> = method("PollNow")
    /// Pauses the device: for this many seconds, or with 0 until `Resume`.
    package static let pause: Method<Nothing, UInt64> = method("Pause")
    package static let resume: Method<Nothing> = method("Resume")
    /// Writes a characteristic that the configuration allows to write. The arguments are the UUIDs of the service (empty for
    /// the first one) and of the characteristic, the number of the characteristic from 1, and the value as `blekeep write`
    /// takes it.
    ///
    /// - Returns: the bytes that were written.
    package static let write: Method<[UInt8], String, String, UInt32, String> = method("Write")
    /// A new value, as in `Values`. Sent only while a program that called blekeep is connected to the bus.
    package static let reading: SignalMember<Properties> = signal("Reading")

    package static let address: Property<String> = property("Address")
    package static let alias: Property<String> = property("Alias")
    package static let tags: Property<[String]> = property("Tags")
    /// The configured adapter; missing for the first one.
    package static let adapter: Property<String> = property("Adapter")
    /// The last values since the poller started. Each has `Name`, `Field`, `Service`, `Characteristic`, `Instance`, `Value`
    /// or `State`, `Unit`, `Time` and `Raw`, as far as known.
    package static let values: Property<[Properties]> = property("Values")

    /// What the device's status has, under the names of `status --json`: counts and durations in milliseconds as `t`, times in
    /// milliseconds since 1970 as `x`. One that the status lacks is missing.
    package static let fields = DeviceStatus.fields.filter(\.isShown)
    package static let paused: Property<Bool> = property("Paused")

    package static let members: [any Member] =
        [pollNow, pause, resume, write, reading, address, alias, tags, adapter, values] + fields.map(member)

    private static func member(_ field: StatusField) -> any Member {
        guard let member = MemberName(field.member) else { preconditionFailure("no name of a member: \(field.member)") }
        switch field.kind {
        case .text, .choice: return property(member) as Property<String>
        case .flag: return property(member) as Property<Bool>
        case .signal: return property(member) as Property<Int16>
        case .time: return property(member) as Property<Int64>
        case .count, .duration: return property(member) as Property<UInt64>
        }
    }

    package static func path(of device: DeviceID) -> ObjectPath {
        ObjectPath(unchecked: "\(Keeper1.path.text)/dev_\(device)")
    }

    /// - Returns: `nil` for another path.
    static func device(at path: ObjectPath) -> DeviceID? {
        path.name.hasPrefix("dev_") ? DeviceID(path.name.dropFirst(4)) : nil
    }
}
