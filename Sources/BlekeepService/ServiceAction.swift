import BlekeepRecords
import DBus

/// What a method of the service does, and who may call it.
enum ServiceAction {
    /// The actions of polkit.
    enum Permission: String, CaseIterable {
        case poll = "org.blekeep.poll"
        case control = "org.blekeep.control"
        case write = "org.blekeep.write"
    }

    case poll
    case pause(PauseLength)
    case resume
    case write(WriteRequest)
    /// Read the configuration again. It concerns all devices.
    case reload

    var permission: Permission {
        switch self {
        case .poll: .poll
        case .pause, .resume, .reload: .control
        case .write: .write
        }
    }

    /// What the poller does with each device; `nil` for an action that concerns all devices together.
    var action: DeviceCommand.Action? {
        switch self {
        case .poll: .poll
        case .pause(let length): .pause(length)
        case .resume: .resume
        case .write(let request): .write(request)
        case .reload: nil
        }
    }

    // MARK: Arguments

    /// - Parameter seconds: 0 until the user resumes the device.
    static func pause(seconds: UInt64) throws(UserError) -> ServiceAction {
        if seconds == 0 { return .pause(.untilResumed) }
        guard let length = Int64(exactly: seconds), length <= UserPause.longest.components.seconds else {
            throw UserError("a pause can last \(DurationText.text(UserPause.longest)) at most")
        }
        return .pause(.time(.seconds(length)))
    }

    static func write(_ arguments: [Value]) throws(UserError) -> ServiceAction {
        guard arguments.count == 4, let service = String(arguments[0]), let characteristic = String(arguments[1]),
            let instance = UInt32(arguments[2]), let text = String(arguments[3])
        else { throw UserError("Write takes a service, a characteristic, a number and a value") }
        guard let uuid = BluetoothUUID(characteristic) else {
            throw UserError("the characteristic isn't a UUID")
        }
        guard service.isEmpty || BluetoothUUID(service) != nil else {
            throw UserError("the service isn't a UUID")
        }
        guard instance >= 1 else { throw UserError("characteristics are counted from 1") }
        do throws(UserError) {
            return .write(
                WriteRequest(
                    service: BluetoothUUID(service), characteristic: uuid, instance: Int(instance),
                    value: try ValueText([text])))
        } catch { throw UserError(error.message) }
    }
}
