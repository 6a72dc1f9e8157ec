import BlekeepRecords
import DBus
import RunLoop

/// The notifications of a characteristic, to all subscribed clients, or to one with a socket.
final class CharacteristicNotifier {
    private unowned let characteristic: CharacteristicObject
    private var subscribers: [BusName] = []
    /// The timer of the next notification, created for the first subscription.
    private var timer: LoopTimer?
    /// The socket of a client that acquired the notifications.
    private var pipe: NotifyPipe?

    init(_ characteristic: CharacteristicObject) { self.characteristic = characteristic }

    private var isResolved: Bool { characteristic.device.services.isResolved }

    var isSubscribed: Bool { !subscribers.isEmpty || pipe != nil }

    func start(_ call: Invocation) {
        guard pipe == nil else { return call.fail(.acquired) }
        guard characteristic.model.notifies else { return call.fail(.notSupported) }
        if subscribers.contains(call.sender) { return isResolved ? call.reply() : call.fail(.inProgress) }
        subscribers.append(call.sender)
        characteristic.bluez.watch(call.sender)
        if subscribers.count == 1 { characteristic.show(GattCharacteristic1.notifying, content: true) }
        guard let link = characteristic.device.link else { return call.reply() }
        link.request(isRead: false) {
            .value([])
        } finish: { [weak self] answer in
            guard case .value = answer else { return call.fail(.dropped) }
            call.reply()
            self?.connected()
        }
    }

    func stop(_ call: Invocation) {
        guard subscribers.contains(call.sender) else { return call.fail(.noNotifySession) }
        left(call.sender)
        call.reply()
    }

    func left(_ client: BusName) {
        guard let index = subscribers.firstIndex(of: client) else { return }
        subscribers.remove(at: index)
        guard subscribers.isEmpty else { return }
        if let timer { characteristic.loop.disarm(timer) }
        characteristic.show(GattCharacteristic1.notifying, content: false)
    }

    /// Subscribes again when the device connects, as BlueZ does.
    func connected() {
        guard isSubscribed, timer?.isArmed != true, isResolved else { return }
        let timer = timer ?? ClosureTimer { [weak self] in self?.notify() }
        self.timer = timer
        characteristic.loop.arm(timer, at: characteristic.loop.now + characteristic.model.period)
    }

    func disconnected() {
        if let timer { characteristic.loop.disarm(timer) }
        releasePipe()
    }

    private func notify() {
        if pipe?.isReleased == true { releasePipe() }
        guard isSubscribed, characteristic.device.link != nil else { return }
        let peripheral = characteristic.peripheral
        if characteristic.device.isReached, peripheral.model.answers == nil {
            send(characteristic.currentValue)
        }
        connected()
    }

    func send(_ value: [UInt8]) {
        guard isSubscribed else { return }
        if let pipe { pipe.send(value) } else { characteristic.show(GattCharacteristic1.value, content: value) }
    }

    // MARK: Notifying through a socket

    func acquire(_ call: Invocation) {
        guard let link = characteristic.device.link else { return call.fail(.notConnected) }
        if pipe?.isReleased == true { releasePipe() }
        guard pipe == nil else { return call.fail(.acquired) }
        guard subscribers.isEmpty else { return call.fail(.inProgress) }
        guard characteristic.model.flags.contains(.notify) else { return call.fail(.notSupported) }
        link.request(isRead: false) {
            .value([])
        } finish: { [weak self] answer in
            guard case .value = answer, let self else { return call.fail(.dropped) }
            let bus = self.characteristic.bluez.bus
            guard self.pipe == nil, let pipe = NotifyPipe(on: bus, onRelease: { self.releasePipe() }) else {
                return call.fail(.acquired)
            }
            self.pipe = pipe
            self.characteristic.interface.set(GattCharacteristic1.notifying.name, to: self.isSubscribed.value)
            let mtu = self.characteristic.peripheral.model.mtu ?? SimulatedPeripheral.maxMTU
            call.reply(Pair(pipe.handOut(), mtu))
            self.characteristic.show(GattCharacteristic1.notifyAcquired, content: true)
            self.connected()
        }
    }

    private func releasePipe() {
        guard let pipe else { return }
        pipe.close()
        self.pipe = nil
        characteristic.interface.set(GattCharacteristic1.notifying.name, to: isSubscribed.value)
        characteristic.show(GattCharacteristic1.notifyAcquired, content: false)
    }
}
