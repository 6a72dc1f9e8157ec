import BlekeepRecords

extension SimulatedPeripheral {
    /// A device that a recipe can ask, with what the recipe recognizes it by. It gives the answers of the recipe's example.
    ///
    /// It answers a request only if each byte is as the recipe writes it, in notifications of at most 20 bytes. A value that
    /// the recipe reads after a write is there only after that write; before that, it is one that means nothing, if the recipe
    /// knows one. Without requests, it notifies its answers by itself each second.
    ///
    /// - Returns: `nil` for a recipe without a test.
    package init?(_ recipe: Recipe, _ address: BluetoothAddress) {
        guard !recipe.example.isEmpty else { return nil }
        let exchange = RecipeTrial(recipe, answers: recipe.example).exchange
        let known = recipe.recognition.first ?? Recipe.Recognition()
        let home = known.service ?? BluetoothUUID(0xFFF0)
        var services: [SimulatedService] = []
        func add(
            _ uuid: BluetoothUUID, in service: BluetoothUUID, flags: [SimulatedCharacteristic.Flag], value: [UInt8]
        ) {
            if !services.contains(where: { $0.uuid == service }) { services.append(SimulatedService(service, [])) }
            guard let index = services.firstIndex(where: { $0.uuid == service }) else { return }
            services[index].characteristics.append(SimulatedCharacteristic(uuid, flags, constant: value))
        }
        for characteristic in recipe.characteristics {
            let value = exchange.first { $0.kind != .written && $0.characteristic == characteristic }?.bytes ?? []
            add(
                characteristic.uuid, in: characteristic.service ?? home, flags: recipe.flags(of: characteristic),
                value: recipe.valueBeforeWrites(
                    of: characteristic, at: characteristic, value: value, exchange: exchange))
        }
        for (text, uuid) in [(known.model, 0x2A24), (known.firmware, UInt16(0x2A26))] {
            guard let text else { continue }
            add(BluetoothUUID(uuid), in: BluetoothUUID(0x180A), flags: [.read], value: Array(text.utf8))
        }
        self.init(
            known.name.map(Self.example) ?? recipe.title, address, advertised: known.service.map { [$0] } ?? [],
            manufacturerData: known.company.map { [$0: [0, 0]] } ?? [:], services: services)
        self.recipe = recipe.name
        guard !recipe.writes.isEmpty else { return }
        answers = { bytes, uuid in recipe.answers(to: bytes, at: uuid, exchange) }
    }

    /// The device of a capture: it advertises, holds and answers what that recorded, with the delays that it had. Without a
    /// recipe, it notifies what it notified then, one after the other.
    ///
    /// - Parameter recipe: the recipe that asked it; `nil` without one.
    package init(_ capture: Capture, recipe: Recipe?) {
        let exchange = capture.exchanges
        var services: [SimulatedService] = []
        for service in capture.services where service.uuid != BluetoothUUID(0x1801) {
            services.append(
                SimulatedService(
                    service.uuid,
                    service.characteristics.map { point in
                        let place = RecipeCharacteristic(point.uuid, in: service.uuid)
                        let wanted = recipe?.characteristics.first { place.isOne(of: $0) }
                        let own = exchange.filter { $0.characteristic == place }
                        let notified = own.filter { $0.kind == .notified }.map(\.bytes)
                        var value = own.first { $0.kind == .read }?.bytes ?? point.value ?? []
                        if let recipe, let wanted {
                            value = recipe.valueBeforeWrites(of: wanted, at: place, value: value, exchange: exchange)
                        }
                        let held = value
                        var simulated = SimulatedCharacteristic(
                            point.uuid, point.flags.compactMap { SimulatedCharacteristic.Flag(rawValue: $0) },
                            descriptors: point.descriptors.filter { $0 != BluetoothUUID(0x2902) }
                                .map { SimulatedDescriptor($0, []) }
                        ) { moment in
                            guard !notified.isEmpty, held.isEmpty || recipe != nil && wanted != nil else { return held }
                            return notified[Int(moment.components.seconds) % notified.count]
                        }
                        simulated.isProtected = point.failure != nil
                        return simulated
                    }))
        }
        let packets = capture.packets
        let strengths = packets.compactMap(\.rssi)
        self.init(
            capture.name ?? "", capture.address, addressType: capture.isRandom == false ? .public : .random,
            appearance: capture.appearance,
            advertised: packets.reduce(into: [BluetoothUUID]()) { all, packet in
                all += packet.services.filter { !all.contains($0) }
            }, rssi: Int16(clamping: strengths.isEmpty ? -60 : strengths.reduce(0, +) / strengths.count),
            acquaintance: capture.isPaired ? .bonded : .known, services: services)
        if let last = packets.last {
            // They come again and again.
            let length = last.time + .seconds(1)
            broadcast = { moment in
                let turns = Int(moment / length)
                let time = moment - length * turns
                let packet = packets.last { $0.time <= time } ?? last
                return SimulatedBroadcast(manufacturerData: packet.manufacturerData, serviceData: packet.serviceData)
            }
        }
        if services.isEmpty { behavior.connecting = .hanging }
        guard let recipe else { return }
        self.recipe = recipe.name
        guard !recipe.writes.isEmpty else { return }
        answers = { bytes, uuid in recipe.answers(to: bytes, at: uuid, exchange) }
    }

    /// Returns a text that fits a pattern with `*` and `?`.
    private static func example(_ pattern: String) -> String {
        String(pattern.map { $0 == "*" || $0 == "?" ? "1" : $0 })
    }
}

extension Recipe {
    /// The properties that it needs of a characteristic.
    fileprivate func flags(of wanted: RecipeCharacteristic) -> [SimulatedCharacteristic.Flag] {
        var flags: [SimulatedCharacteristic.Flag] = []
        let actions = allSteps.map(\.action)
        if actions.contains(where: { if case .read(wanted) = $0 { true } else { false } }) { flags.append(.read) }
        for write in writes where write.characteristic == wanted {
            flags.append(write.withResponse == false ? .writeWithoutResponse : .write)
        }
        let notifies = actions.contains { action in
            switch action {
            case .ask(_, wanted), .await(wanted), .subscribe(wanted): true
            default: false
            }
        }
        return flags + (notifies ? [.notify] : [])
    }

    /// The value that a characteristic holds before the device was asked.
    fileprivate func valueBeforeWrites(
        of wanted: RecipeCharacteristic, at place: RecipeCharacteristic, value: [UInt8], exchange: [Exchange]
    ) -> [UInt8] {
        let asked = exchange.firstIndex { $0.kind == .written } ?? exchange.endIndex
        guard !exchange[..<asked].contains(where: { $0.characteristic == place }) else { return value }
        let empty = allSteps.lazy.filter { $0.action == .read(wanted) }.compactMap { $0.answer?.empty.first }.first
        guard let empty, !empty.isEmpty else { return value }
        return value.indices.map { empty[$0 % empty.count] }
    }

    /// What follows a request in its example.
    fileprivate func answers(to request: [UInt8], at uuid: BluetoothUUID, _ exchange: [Exchange]) -> [SimulatedAnswer] {
        let secret = Array(RecipeTrial.secret.utf8)
        func isAsked(_ write: Write, bytes: [UInt8]) -> Bool {
            write.characteristic.uuid == uuid && write.bytes.fits(bytes, secret: secret)
        }
        guard let write = writes.first(where: { isAsked($0, bytes: request) }) else { return [] }
        func following(_ place: Int) -> [Exchange] {
            exchange[(place + 1)...].prefix { $0.kind != .written }.filter { $0.kind == .notified || $0.kind == .read }
        }
        // A request whose answer was lost was sent once more.
        let places = exchange.indices.filter { index in
            exchange[index].kind == .written && exchange[index].characteristic.uuid == uuid
                && isAsked(write, bytes: exchange[index].bytes)
        }.sorted { !following($0).isEmpty && following($1).isEmpty }
        // The rounds of a loop differ in their index.
        guard let place = places.first(where: { exchange[$0].bytes == request }) ?? places.first else { return [] }
        return following(place).enumerated().map { number, next in
            let isNotified = next.kind == .notified
            // An answer can come before the write is confirmed.
            let isTimed = next.time > .zero
            let delay =
                isTimed ? max(.milliseconds(1), next.time - exchange[place].time) : .milliseconds(50 + 30 * number)
            return SimulatedAnswer(
                next.characteristic.uuid, next.bytes, after: isNotified ? delay : .zero, isNotified: isNotified)
        }
    }
}
