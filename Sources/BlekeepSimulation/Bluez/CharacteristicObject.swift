import Blekeep
import DBus
import RunLoop

/// A characteristic as bluetoothd exports it: reads, writes and notifications, as its peripheral allows them.
final class CharacteristicObject {
    let path: ObjectPath
    private(set) lazy var object = ExportedObject(path, [interface])

    private let interface = ExportedInterface(GattCharacteristic1.self)
    private let place: GattPlace
    private unowned let device: DeviceObject
    private var readers: [Invocation] = []
    private var offset = 0
    private var isWriting = false
    private var subscribers: [BusName] = []
    /// Made when somebody subscribes, and armed again and again.
    private var notification: LoopTimer?
    /// Where values go instead, as long as a client has acquired them.
    private var pipe: NotifyPipe?

    init(_ place: GattPlace, of service: ObjectPath, _ device: DeviceObject) {
        self.place = place
        self.device = device
        path = ObjectPath(unchecked: "\(service)/char\(String(hex: UInt(place.handle), width: 4))")
        serveProperties(service)
        handleCalls()
    }

    var uuid: BluetoothUUID { place.characteristic.uuid }
    private var model: SimulatedCharacteristic { place.characteristic }
    private var bluez: SimulatedBluez { device.bluez }
    private var loop: RunLoop { bluez.loop }
    private var peripheral: RadioPeripheral { device.peripheral }

    /// What the peripheral would say now.
    var currentValue: [UInt8] { peripheral.value(of: place, at: loop.now.sinceStart) }

    private func serveProperties(_ service: ObjectPath) {
        interface.serve(GattCharacteristic1.uuid, is: model.uuid.full)
        interface.serve(GattCharacteristic1.service, is: service)
        interface.serve(GattCharacteristic1.value, is: [])
        if model.notifies { interface.serve(GattCharacteristic1.notifying, is: false) }
        if model.flags.contains(.notify) { interface.serve(GattCharacteristic1.notifyAcquired, is: false) }
        interface.serve(GattCharacteristic1.flags, is: model.flags.map(\.rawValue))
    }

    private func handleCalls() {
        interface.handle(GattCharacteristic1.readValue) { [unowned self] in self.read($0) }
        interface.handle(GattCharacteristic1.writeValue) { [unowned self] in self.write($0) }
        interface.handle(GattCharacteristic1.startNotify) { [unowned self] in self.startNotify($0) }
        interface.handle(GattCharacteristic1.stopNotify) { [unowned self] in self.stopNotify($0) }
        interface.handle(GattCharacteristic1.acquireNotify) { [unowned self] in self.acquire($0) }
    }

    /// Shows a property that has changed, and tells of it.
    private func show<Content>(_ property: Property<Content>, _ content: Content) {
        show(property, content, of: interface, at: path)
    }

    private func show<Content>(
        _ property: Property<Content>, _ content: Content, of interface: ExportedInterface, at path: ObjectPath
    ) {
        bluez.changed(path, interface.name, interface.set(property.name, to: content.value))
    }

    // MARK: Reading

    /// Readers that come while a read is under way share its answer.
    private func read(_ call: Invocation) {
        guard let link = device.link else { return call.fail(.notConnected) }
        let offset = Int(call.arguments[0].entry("offset").flatMap { UInt16($0) } ?? 0)
        if !readers.isEmpty {
            guard offset == self.offset else { return call.fail(.inProgress) }
            return readers.append(call)
        }
        readers = [call]
        self.offset = offset
        link.request(isRead: true) { [weak self] in
            self?.serveRead() ?? .error(0x01)
        } _: { [weak self] in
            self?.wasRead($0)
        }
    }

    /// The peripheral's side, and what BlueZ does when it insists on encryption.
    private func serveRead() -> Link.Answer {
        if device.isStale { return .error(0x01) }
        guard model.isReadable else { return .error(0x02) }
        // With keys that the peripheral has no more, the connection ends before there is an answer.
        if model.needsEncryption, device.stored.isBonded, !peripheral.hasBond { return .blocked }
        if model.needsEncryption, !device.stored.isBonded {
            // Without an agent, or after its refusal, bluetoothd answers nothing.
            device.raiseSecurity { [weak self] isBonded in
                if isBonded { self?.device.link?.retry() }
            }
            return .blocked
        }
        let value = currentValue
        if offset == 0 { return .value(value) }
        return offset <= value.count ? .value(Array(value.dropFirst(offset))) : .error(0x07)
    }

    private func wasRead(_ answer: Link.Answer) {
        let waiting = readers
        readers = []
        switch answer {
        case .value(let value):
            tell(value)
            for call in waiting { call.reply(value) }
        case .error(let code): for call in waiting { call.fail(.att(code)) }
        case .dropped: for call in waiting { call.fail(.dropped) }
        case .blocked: break
        }
    }

    private func tell(_ value: [UInt8]) {
        show(GattCharacteristic1.value, value)
    }

    // MARK: Writing

    private func write(_ call: Invocation) {
        guard model.isWritable else { return call.fail(.notSupported) }
        guard let link = device.link else { return call.fail(.notConnected) }
        guard !isWriting else { return call.fail(.inProgress) }
        guard let value = [UInt8](call.arguments[0]), value.count <= 512 else { return call.fail(.att(0x0D)) }
        isWriting = true
        link.request(isRead: false) { [weak self] in
            guard let self else { return .error(0x01) }
            self.peripheral.write(value, to: self.place)
            return .value([])
        } _: { [weak self] answer in
            self?.isWriting = false
            if case .value = answer { call.reply() } else { call.fail(.dropped) }
        }
    }

    // MARK: Notifying

    private var isSubscribed: Bool { !subscribers.isEmpty || pipe != nil }

    private func startNotify(_ call: Invocation) {
        guard pipe == nil else { return call.fail(.acquired) }
        guard model.notifies else { return call.fail(.notSupported) }
        if subscribers.contains(call.sender) { return device.isResolved ? call.reply() : call.fail(.inProgress) }
        subscribers.append(call.sender)
        bluez.watch(call.sender)
        if subscribers.count == 1 { show(GattCharacteristic1.notifying, true) }
        guard let link = device.link else { return call.reply() }
        link.request(isRead: false) {
            .value([])
        } _: { [weak self] answer in
            guard case .value = answer else { return call.fail(.dropped) }
            call.reply()
            self?.connected()
        }
    }

    private func stopNotify(_ call: Invocation) {
        guard subscribers.contains(call.sender) else { return call.fail(.noNotifySession) }
        left(call.sender)
        call.reply()
    }

    func left(_ client: BusName) {
        guard let index = subscribers.firstIndex(of: client) else { return }
        subscribers.remove(at: index)
        guard subscribers.isEmpty else { return }
        if let notification { loop.disarm(notification) }
        show(GattCharacteristic1.notifying, false)
    }

    /// BlueZ subscribes again for its clients whenever the device is connected.
    func connected() {
        guard isSubscribed, notification?.isArmed != true, device.isResolved else { return }
        let timer = notification ?? ClosureTimer { [weak self] in self?.notify() }
        notification = timer
        loop.arm(timer, at: loop.now + model.period)
    }

    func disconnected() {
        if let notification { loop.disarm(notification) }
        releasePipe()
    }

    private func notify() {
        if pipe?.isReleased == true { releasePipe() }
        guard isSubscribed, device.link != nil else { return }
        if peripheral.isInRange {
            if let pipe { pipe.send(currentValue) } else { tell(currentValue) }
        }
        connected()
    }

    // MARK: Notifying through a socket

    private func acquire(_ call: Invocation) {
        guard let link = device.link else { return call.fail(.notConnected) }
        if pipe?.isReleased == true { releasePipe() }
        guard pipe == nil else { return call.fail(.acquired) }
        guard subscribers.isEmpty else { return call.fail(.inProgress) }
        guard model.flags.contains(.notify) else { return call.fail(.notSupported) }
        link.request(isRead: false) {
            .value([])
        } _: { [weak self] answer in
            guard case .value = answer, let self else { return call.fail(.dropped) }
            guard self.pipe == nil, let pipe = NotifyPipe(on: self.bluez.bus, onRelease: { self.releasePipe() }) else {
                return call.fail(.acquired)
            }
            self.pipe = pipe
            self.interface.set(GattCharacteristic1.notifying.name, to: self.isSubscribed.value)
            call.reply(Pair(pipe.handOut(), NotifyPipe.mtu))
            self.show(GattCharacteristic1.notifyAcquired, true)
            self.connected()
        }
    }

    private func releasePipe() {
        guard let pipe else { return }
        pipe.close()
        self.pipe = nil
        interface.set(GattCharacteristic1.notifying.name, to: isSubscribed.value)
        show(GattCharacteristic1.notifyAcquired, false)
    }

    // MARK: Descriptors

    func makeDescriptor(_ descriptor: SimulatedDescriptor, _ handle: Int) -> ExportedObject {
        let interface = ExportedInterface(GattDescriptor1.self)
        let own = ObjectPath(unchecked: "\(path)/desc\(String(hex: UInt(handle), width: 4))")
        interface.serve(GattDescriptor1.uuid, is: descriptor.uuid.full)
        interface.serve(GattDescriptor1.characteristic, is: path)
        interface.serve(GattDescriptor1.value, is: [])
        interface.handle(GattDescriptor1.readValue) { [weak self, unowned interface] call in
            guard let self else { return }
            guard let link = self.device.link else { return call.fail(.notConnected) }
            link.request(isRead: true) { [weak self] in
                self.map { .value($0.value(of: descriptor)) } ?? .error(0x01)
            } _: { [weak self] answer in
                switch answer {
                case .value(let value):
                    self?.show(GattDescriptor1.value, value, of: interface, at: own)
                    call.reply(value)
                case .error(let code): call.fail(.att(code))
                case .dropped: call.fail(.dropped)
                case .blocked: break
                }
            }
        }
        return ExportedObject(own, [interface])
    }

    private func value(of descriptor: SimulatedDescriptor) -> [UInt8] {
        guard descriptor.uuid == BluetoothUUID(0x2902) else { return descriptor.value }
        return [!isSubscribed ? 0 : model.flags.contains(.notify) ? 1 : 2, 0]
    }
}
