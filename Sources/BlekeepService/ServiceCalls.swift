import BlekeepRecords
import DBus
internal import Glibc
import RunLoop

/// The calls that control the poller: who may give them, and their answers.
final class ServiceCalls {
    struct Call {
        let invocation: Invocation
        let action: ServiceMethod.Action
        let method: ServiceMethod
        let devices: [DeviceID]
    }

    private let loop: RunLoop
    private var waiting: [Call] = []
    private var budgets = CallBudgets(maxCalls: CommandBudget.maxCommands, every: .seconds(1))
    /// Returns the user of a program whose call was admitted.
    var user: ((BusName) -> UInt32?)?
    var onCall: (() -> Void)?
    /// `nil` while the service doesn't run.
    var poller: (any ServedPoller)?

    static let maxWaiting = 64
    static let badConfiguration = "org.blekeep.Error.BadConfiguration"

    init(on loop: RunLoop) { self.loop = loop }

    /// - Parameter all: the devices that the called object stands for.
    func receive(_ invocation: Invocation, of method: ServiceMethod, devices all: [DeviceID]) {
        let action: ServiceMethod.Action
        let devices: [DeviceID]
        do throws(UserError) {
            action = try method.action(invocation.arguments)
            devices = try method.devices(invocation.arguments, of: all)
        } catch {
            return invocation.fail("org.freedesktop.DBus.Error.InvalidArgs", message: error.message)
        }
        guard waiting.count < Self.maxWaiting, let user = user?(invocation.sender),
            budgets.spend(by: user, at: loop.now)
        else {
            return invocation.fail(
                "org.freedesktop.DBus.Error.LimitsExceeded",
                message:
                    "too many commands; blekeep takes \(CommandBudget.maxCommands) at once, and then one a second")
        }
        waiting.append(Call(invocation: invocation, action: action, method: method, devices: devices))
        onCall?()
    }

    func next() -> Call? { waiting.isEmpty ? nil : waiting.removeFirst() }

    /// Refuses what waits, because the service ends.
    func refuseAll() {
        while let call = next() { call.invocation.fail(Poller1.failed, message: "blekeep is stopping") }
    }

    /// Carries out a call if its sender may give it.
    func answer(_ call: Call, on bus: any Bus) async {
        guard await isAllowed(call, on: bus) else {
            return call.invocation.fail(
                "org.freedesktop.DBus.Error.AccessDenied",
                message: "polkit doesn't allow the action \(call.method.permission.rawValue) to this user")
        }
        guard case .device(let action) = call.action else { return reload(call.invocation) }
        let tally = CallTally(call.invocation, isOfList: call.method.takesList, count: call.devices.count)
        for device in call.devices {
            poller?.obey(DeviceCommand(action, device)) { tally.count($0, of: device) }
        }
        if call.devices.isEmpty { tally.reply() }
    }

    private func reload(_ call: Invocation) {
        do throws(ReloadFailure) {
            try poller?.reload()
            call.reply()
        } catch { call.fail(error.isMistake ? Self.badConfiguration : Poller1.failed, message: error.message) }
    }

    private func isAllowed(_ call: Call, on bus: any Bus) async -> Bool {
        let sender = call.invocation.sender
        do throws(BusError) {
            guard let user = user?(sender) else { return false }
            if user == 0 || user == getuid() { return true }
            return try await bus.object(PolkitAuthority.service, at: PolkitAuthority.path).call(
                PolkitAuthority.checkAuthorization, PolkitSubject(sender), call.method.permission.rawValue, [:], 0, "",
                within: .seconds(25), options: .init(autoStart: true)
            ).isAuthorized
        } catch { return false }
    }
}

/// Answers a call when all its devices did.
private final class CallTally {
    private let call: Invocation
    private let isOfList: Bool
    private var left: Int
    private var bytes: [UInt8] = []
    private var failures: Poller1.Failures = [:]

    init(_ call: Invocation, isOfList: Bool, count: Int) {
        self.call = call
        self.isOfList = isOfList
        left = count
    }

    func count(_ result: Result<[UInt8], ReadingFailure>, of device: DeviceID) {
        switch result {
        case .success(let bytes): self.bytes += bytes
        case .failure(let failure): failures[KeptDevice1.path(of: device)] = failure.message
        }
        left -= 1
        if left == 0 { reply() }
    }

    func reply() {
        if isOfList { return call.reply([failures.value]) }
        if let message = failures.values.first { return call.fail(Poller1.failed, message: message) }
        call.reply([.bytes(bytes)])
    }
}
