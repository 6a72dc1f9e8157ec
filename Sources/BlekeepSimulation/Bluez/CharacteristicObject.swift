import BlekeepRecords
import DBus
import RunLoop

/// The D-Bus object of a characteristic: reads, writes and notifications.
final class CharacteristicObject {
    let path: ObjectPath
    private(set) lazy var object = ExportedObject(path, [interface])

    let interface = ExportedInterface(GattCharacteristic1.self)
    private let place: GattPlace
    unowned let device: DeviceObject
    private var readers: [Invocation] = []
    private var offset = 0
    private var isWriting = false
    private(set) lazy var notifier = CharacteristicNotifier(self)

    init(_ place: GattPlace, of service: ObjectPath, device: DeviceObject) {
        self.place = place
        self.device = device
        path = ObjectPath(unchecked: "\(service)/char\(String(hex: UInt(place.handle), width: 4))")
        serveProperties(service)
        handleCalls()
    }

    var uuid: BluetoothUUID { place.characteristic.uuid }
    var model: SimulatedCharacteristic { place.characteristic }
    var bluez: SimulatedBluez { device.bluez }
    var loop: RunLoop { bluez.loop }
    var peripheral: RadioPeripheral { device.peripheral }

    var currentValue: [UInt8] { peripheral.value(of: place, at: loop.now.sinceStart) }

    private func serveProperties(_ service: ObjectPath) {
        interface.serve(GattCharacteristic1.uuid, is: model.uuid.full)
        interface.serve(GattCharacteristic1.service, is: service)
        interface.serve(GattCharacteristic1.value, is: [])
        if model.notifies { interface.serve(GattCharacteristic1.notifying, is: false) }
        if model.flags.contains(.notify) { interface.serve(GattCharacteristic1.notifyAcquired, is: false) }
        interface.serve(GattCharacteristic1.flags, is: model.flags.map(\.rawValue))
        interface.serve(GattCharacteristic1.mtu) { [unowned self] in
            self.device.link == nil ? nil : self.peripheral.model.mtu
        }
    }

    private func handleCalls() {
        interface.handle(GattCharacteristic1.readValue) { [unowned self] in self.read($0) }
        interface.handle(GattCharacteristic1.writeValue) { [unowned self] in self.write($0) }
        interface.handle(GattCharacteristic1.startNotify) { [unowned self] in self.notifier.start($0) }
        interface.handle(GattCharacteristic1.stopNotify) { [unowned self] in self.notifier.stop($0) }
        interface.handle(GattCharacteristic1.acquireNotify) { [unowned self] in self.notifier.acquire($0) }
    }

    /// Sets a changed property, and sends the signal.
    func show<Content>(_ property: Property<Content>, content: Content) {
        bluez.changed(path, interface: interface.name, property: interface.set(property.name, to: content.value))
    }

    // MARK: Reading

    /// Reads the value. Callers during a read share its reply.
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
        } finish: { [weak self] in
            self?.wasRead($0)
        }
    }

    /// Reads from the peripheral. If the peripheral requires encryption, pairs as BlueZ does.
    private func serveRead() -> PeripheralLink.Answer {
        if device.services.isStale { return .error(0x01) }
        guard model.isReadable else { return .error(0x02) }
        // If the peripheral lost its keys, the connection ends before the reply.
        if model.needsEncryption, device.stored.isBonded, !peripheral.hasBond(with: device.adapter.radio) {
            return .blocked
        }
        if model.needsEncryption, !device.stored.isBonded {
            // Without an agent, or after its refusal, bluetoothd doesn't reply.
            device.raiseSecurity { [weak self] isBonded in
                if isBonded { self?.device.link?.retry() }
            }
            return .blocked
        }
        let value = currentValue
        if offset == 0 { return .value(value) }
        return offset <= value.count ? .value(Array(value.dropFirst(offset))) : .error(0x07)
    }

    private func wasRead(_ answer: PeripheralLink.Answer) {
        let waiting = readers
        readers = []
        switch answer {
        case .value(let value):
            show(GattCharacteristic1.value, content: value)
            for call in waiting { call.reply(value) }
        case .error(let code): for call in waiting { call.fail(.att(code)) }
        case .dropped: for call in waiting { call.fail(.dropped) }
        case .blocked: break
        }
    }

    // MARK: Writing

    private func written(_ value: [UInt8]) {
        if let packets = peripheral.model.memory?(value, loop.now.sinceStart) { return send(packets) }
        guard let answers = peripheral.answers(to: value, at: uuid) else { return peripheral.write(value, to: place) }
        for answer in answers {
            bluez.after(answer.delay) { [weak device] in
                device?.services.answer(answer.bytes, at: answer.characteristic, isNotified: answer.isNotified)
            }
        }
    }

    /// Sends what the peripheral has in its memory, for as long as the connection lasts.
    private func send(_ packets: [SimulatedAnswer]) {
        for packet in packets {
            bluez.after(packet.delay) { [weak device, weak link = device.link] in
                guard let link, link === device?.link else { return }
                device?.services.answer(packet.bytes, at: packet.characteristic, isNotified: true)
            }
        }
    }

    func answer(_ value: [UInt8], isNotified: Bool) {
        guard device.link != nil, device.isReached else { return }
        if isNotified { notifier.send(value) } else { peripheral.write(value, to: place) }
    }

    private func write(_ call: Invocation) {
        guard model.isWritable else { return call.fail(.notSupported) }
        guard let link = device.link else { return call.fail(.notConnected) }
        guard !isWriting else { return call.fail(.inProgress) }
        guard let value = [UInt8](call.arguments[0]), value.count <= 512 else { return call.fail(.att(0x0D)) }
        // Without a response, the value can't go in pieces.
        let isCommand = call.arguments[1].entry("type").flatMap { String($0) } == "command"
        guard !isCommand || value.count + 3 <= peripheral.model.mtu ?? SimulatedPeripheral.maxMTU else {
            return call.fail(.failed("Failed to initiate write"))
        }
        isWriting = true
        link.request(isRead: false) { [weak self] in
            guard let self else { return .error(0x01) }
            self.written(value)
            return .value([])
        } finish: { [weak self] answer in
            self?.isWriting = false
            if case .value = answer { call.reply() } else { call.fail(.dropped) }
        }
    }
}
