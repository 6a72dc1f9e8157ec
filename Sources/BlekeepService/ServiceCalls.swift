import BlekeepRecords
import DBus
internal import Glibc
import RunLoop

/// The calls that control the poller: who may give them, and their answers.
final class ServiceCalls {
    struct Call {
        let invocation: Invocation
        let action: ServiceMethod.Action
        let permission: ServiceMethod.Permission
        let devices: [DeviceID]
    }

    private let loop: RunLoop
    private var waiting: [Call] = []
    private var budgets = CallBudgets(maxCalls: CommandBudget.maxCommands, every: .seconds(1))
    /// Returns the user of a program whose call was admitted.
    var user: ((BusName) -> UInt32?)?
    /// Called when a call waits.
    var onCall: (() -> Void)?
    /// `nil` while the service doesn't run.
    var poller: (any ServedPoller)?

    static let maxWaiting = 64
    static let failed = "org.blekeep.Error.Failed"
    static let badConfiguration = "org.blekeep.Error.BadConfiguration"

    init(on loop: RunLoop) { self.loop = loop }

    func receive(_ invocation: Invocation, of method: ServiceMethod, devices: [DeviceID]) {
        let action: ServiceMethod.Action
        do throws(UserError) { action = try method.action(invocation.arguments) } catch {
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
        waiting.append(
            Call(invocation: invocation, action: action, permission: method.permission, devices: devices))
        onCall?()
    }

    func next() -> Call? { waiting.isEmpty ? nil : waiting.removeFirst() }

    /// Refuses what waits, because the service ends.
    func refuseAll() {
        while let call = next() { call.invocation.fail(Self.failed, message: "blekeep is stopping") }
    }

    /// Carries out a call if its sender may give it.
    func answer(_ call: Call, on bus: any Bus) async {
        guard await isAllowed(call, on: bus) else {
            return call.invocation.fail(
                "org.freedesktop.DBus.Error.AccessDenied",
                message: "polkit doesn't allow the action \(call.permission.rawValue) to this user")
        }
        guard case .device(let action) = call.action else { return reload(call.invocation) }
        let tally = CallTally(call.invocation, count: call.devices.count)
        for device in call.devices { poller?.obey(DeviceCommand(action, device), answer: tally.count) }
        if call.devices.isEmpty { call.invocation.reply() }
    }

    private func reload(_ call: Invocation) {
        do throws(ReloadFailure) {
            try poller?.reload()
            call.reply()
        } catch { call.fail(error.isMistake ? Self.badConfiguration : Self.failed, message: error.message) }
    }

    private func isAllowed(_ call: Call, on bus: any Bus) async -> Bool {
        let sender = call.invocation.sender
        do throws(BusError) {
            guard let user = user?(sender) else { return false }
            if user == 0 || user == getuid() { return true }
            return try await bus.object(PolkitAuthority.service, at: PolkitAuthority.path).call(
                PolkitAuthority.checkAuthorization, PolkitSubject(sender), call.permission.rawValue, [:], 0, "",
                within: .seconds(25), options: .init(autoStart: true)
            ).isAuthorized
        } catch { return false }
    }
}

/// Answers a call when all its devices did.
private final class CallTally {
    private let call: Invocation
    private var left: Int
    private var bytes: [UInt8] = []
    private var failure: ReadingFailure?

    init(_ call: Invocation, count: Int) {
        self.call = call
        left = count
    }

    func count(_ result: Result<[UInt8], ReadingFailure>) {
        switch result {
        case .success(let bytes): self.bytes += bytes
        case .failure(let failure): self.failure = self.failure ?? failure
        }
        left -= 1
        guard left == 0 else { return }
        if let failure { return call.fail(ServiceCalls.failed, message: failure.message) }
        call.reply(call.member == KeptDevice1.write.name ? [.bytes(bytes)] : [])
    }
}
