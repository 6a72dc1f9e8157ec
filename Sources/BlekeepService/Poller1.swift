import BlekeepRecords
import DBus

/// The running poller: exported by blekeep at `/org/blekeep`.
package enum Poller1: Interface {
    package static let name: InterfaceName = "org.blekeep.Poller1"
    package static let service: BusName = "org.blekeep"
    package static let path: ObjectPath = "/org/blekeep"

    /// The error of a call that a device or the configuration didn't follow.
    package static let failed = "org.blekeep.Error.Failed"
    /// Why a device didn't do what a call of many asked for; missing for those that did.
    package typealias Failures = [ObjectPath: String]

    /// Reads these devices, or without any all, and returns when all were read.
    package static let pollNow: Method<Failures, [ObjectPath]> = method("PollNow")
    /// Pauses these devices, or without any all: for this many seconds, or with 0 until `Resume`.
    package static let pause: Method<Failures, [ObjectPath], UInt64> = method("Pause")
    /// Resumes these devices, or without any all.
    package static let resume: Method<Failures, [ObjectPath]> = method("Resume")
    /// Reads the configuration again. With a mistake, nothing changes, and the error
    /// `org.blekeep.Error.BadConfiguration` has all of them.
    package static let reload: Method<Nothing> = method("Reload")

    package static let version: Property<String> = property("Version")
    /// The gateway's name in the configuration; the machine's name without one.
    package static let gateway: Property<String> = property("Gateway")
    /// The path of the configuration's file or folder; empty without one.
    package static let configuration: Property<String> = property("Configuration")
    package static let powerMode: Property<String> = property("PowerMode")
    package static let powerReason: Property<String> = property("PowerReason")
    /// The code of an outage that prevents polling of all devices; empty without one.
    package static let outage: Property<String> = property("Outage")
    package static let outageMessage: Property<String> = property("OutageMessage")
    /// `Name`, `On`, and `Trouble` of an adapter that has one.
    package static let adapters: Property<[Properties]> = property("Adapters")
    /// `Name`, `Backlog`, and `Error` of a sink that has one.
    package static let sinks: Property<[Properties]> = property("Sinks")

    static let methods: [ServiceMethod] = [
        .devices(pollNow, .poll) { _ in .poll },
        .devices(pause, .control, action: ServiceMethod.pause),
        .devices(resume, .control) { _ in .resume },
        .reload(reload, .control),
    ]

    package static let members: [any Member] =
        methods.map(\.member)
        + [version, gateway, configuration, powerMode, powerReason, outage, outageMessage, adapters, sinks]
}

/// A device of the running poller: exported by blekeep at `/org/blekeep/dev_f00000000001`. Times are in
/// milliseconds since 1970, and durations in milliseconds.
package enum KeptDevice1: Interface {
    package static let name: InterfaceName = "org.blekeep.Device1"

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

    static let methods: [ServiceMethod] = [.device(write, .write, action: ServiceMethod.write)]

    package static let members: [any Member] =
        methods.map(\.member) + [reading, address, alias, tags, adapter, values] + fields.map(member)

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
        ObjectPath(unchecked: "\(Poller1.path.text)/dev_\(device)")
    }

    /// - Returns: `nil` for another path.
    static func device(at path: ObjectPath) -> DeviceID? {
        path.name.hasPrefix("dev_") ? DeviceID(path.name.dropFirst(4)) : nil
    }
}

/// A method that controls the poller or a device: who may call it, and what it asks for.
struct ServiceMethod: Sendable {
    /// The actions of polkit.
    enum Permission: String, CaseIterable {
        case poll = "org.blekeep.poll"
        case control = "org.blekeep.control"
        case write = "org.blekeep.write"
    }

    enum Action: Sendable, Hashable {
        /// What the poller does with the device, or with each of its devices.
        case device(DeviceCommand.Action)
        /// Read the configuration again.
        case reload
    }

    let member: any Member
    let permission: Permission
    /// Whether the first argument is a list of devices, and the answer has the failure of each.
    var takesList = false
    /// Returns what a call with these arguments asks for.
    let action: @Sendable ([Value]) throws(UserError) -> Action

    static func reload(_ member: any Member, _ permission: Permission) -> ServiceMethod {
        ServiceMethod(member: member, permission: permission) { _ in .reload }
    }

    static func device(
        _ member: any Member, _ permission: Permission,
        action: @escaping @Sendable ([Value]) throws(UserError) -> DeviceCommand.Action
    ) -> ServiceMethod {
        ServiceMethod(member: member, permission: permission) { (arguments) throws(UserError) in
            .device(try action(arguments))
        }
    }

    static func devices(
        _ member: any Member, _ permission: Permission,
        action: @escaping @Sendable ([Value]) throws(UserError) -> DeviceCommand.Action
    ) -> ServiceMethod {
        ServiceMethod(member: member, permission: permission, takesList: true) { (arguments) throws(UserError) in
            .device(try action(Array(arguments.dropFirst())))
        }
    }

    // MARK: Arguments

    /// Returns the devices that a call names, or without any, all: each once.
    ///
    /// - Parameter all: those of the poller.
    func devices(_ arguments: [Value], of all: [DeviceID]) throws(UserError) -> [DeviceID] {
        guard takesList, let paths = arguments.first.flatMap({ [ObjectPath]($0) }), !paths.isEmpty else { return all }
        let named = Set(paths)
        let chosen = all.filter { named.contains(KeptDevice1.path(of: $0)) }
        guard chosen.count == named.count else {
            let known = Set(chosen.map { KeptDevice1.path(of: $0) })
            throw UserError("there is no device at \(paths.first { !known.contains($0) }?.text ?? "")")
        }
        return chosen
    }

    /// - Parameter arguments: the seconds; 0 until the user resumes the device.
    static func pause(_ arguments: [Value]) throws(UserError) -> DeviceCommand.Action {
        let seconds = arguments.first.flatMap { UInt64($0) } ?? 0
        if seconds == 0 { return .pause(.untilResumed) }
        guard let length = Int64(exactly: seconds), length <= UserPause.longest.components.seconds else {
            throw UserError("a pause can last \(DurationText.text(UserPause.longest)) at most")
        }
        return .pause(.time(.seconds(length)))
    }

    static func write(_ arguments: [Value]) throws(UserError) -> DeviceCommand.Action {
        guard arguments.count == 4, let service = String(arguments[0]), let characteristic = String(arguments[1]),
            let instance = UInt32(arguments[2]), let text = String(arguments[3])
        else { throw UserError("Write takes a service, a characteristic, a number and a value") }
        guard let uuid = BluetoothUUID(characteristic) else { throw UserError("the characteristic isn't a UUID") }
        guard service.isEmpty || BluetoothUUID(service) != nil else { throw UserError("the service isn't a UUID") }
        guard instance >= 1 else { throw UserError("characteristics are counted from 1") }
        do throws(UserError) {
            return .write(
                WriteRequest(
                    service: BluetoothUUID(service), characteristic: uuid, instance: Int(instance),
                    value: try ValueText([text])))
        } catch { throw UserError(error.message) }
    }
}
