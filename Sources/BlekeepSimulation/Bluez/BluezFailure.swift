import BlekeepRecords
import DBus

/// An error with bluetoothd's name and text.
struct BluezFailure: Error, Hashable, CustomStringConvertible {
    let name: String
    let message: String
    var description: String { "\(name): \(message)" }

    init(_ short: String, _ message: String) {
        name = "org.bluez.Error." + short
        self.message = message
    }

    static func failed(_ message: String) -> BluezFailure { BluezFailure("Failed", message) }

    static let aborted = failed("le-connection-abort-by-local")
    static let canceled = failed("br-connection-canceled")
    static let connecting = failed("Operation already in progress")
    static let adapterOff = failed("Input/output error")
    static let notConnected = failed("Not connected")
    static let noDiscovery = failed("No discovery started")
    static let noNotifySession = failed("No notify session started")
    static let discovering = BluezFailure("InProgress", "Operation already in progress")
    static let inProgress = BluezFailure("InProgress", "In Progress")
    static let notReady = BluezFailure("NotReady", "Resource Not Ready")
    static let notPaired = BluezFailure("NotPermitted", "Not paired")
    static let acquired = BluezFailure("NotPermitted", "Notify acquired")
    static let notSupported = BluezFailure("NotSupported", "Operation is not supported")
    static let alreadyExists = BluezFailure("AlreadyExists", "Already Exists")
    static let doesNotExist = BluezFailure("DoesNotExist", "Does Not Exist")
    static let invalidArguments = BluezFailure("InvalidArguments", "Invalid arguments in method call")

    /// Returns the error of ReadValue or WriteValue for an ATT error.
    static func att(_ code: UInt8) -> BluezFailure {
        switch code {
        case 0x02: BluezFailure("NotPermitted", "Read not permitted")
        case 0x03: BluezFailure("NotPermitted", "Write not permitted")
        case 0x05, 0x0C, 0x0F: notPaired
        case 0x06: notSupported
        case 0x07: BluezFailure("InvalidArguments", "Invalid offset")
        case 0x08: BluezFailure("NotAuthorized", "Operation Not Authorized")
        case 0x0D: BluezFailure("InvalidArguments", "Invalid Length")
        default: failed("Operation failed with ATT error: 0x" + String(hex: code, width: 2))
        }
    }

    /// The error of a request whose connection was lost.
    static let dropped = att(0x0E)
}

extension Invocation {
    func fail(_ failure: BluezFailure) { fail(failure.name, message: failure.message) }

    /// Replies without a result, or with the error of `action`.
    func answer(_ action: () throws(BluezFailure) -> Void) {
        do throws(BluezFailure) {
            try action()
            reply()
        } catch { fail(error) }
    }
}
