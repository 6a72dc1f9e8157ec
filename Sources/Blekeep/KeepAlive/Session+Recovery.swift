import DBus
import RunLoop

/// What is asked of BlueZ and of systemd where nothing gentle helps; how it went is told as events.
extension Session {
    func recover(_ act: Recovery) async {
        switch act {
        case .survey: post(.recovered(.surveyed(await foreignLinks())))
        case .cycle(let path): await cycle(path)
        case .switchOn(let path): switchOn(path)
        case .restartBluez: await restartBluez()
        case .forget(let id, let path): post(.recovered(.forgotten(id, await forget(path))))
        case .preferLowEnergy(let id, let path): post(.recovered(.preferred(id, await preferLowEnergy(path))))
        }
    }

    /// Off for 2 s, as some radios need; on again whatever has happened meanwhile.
    private func cycle(_ path: ObjectPath) async {
        let adapter = bus.object(Bluez.service, path)
        do throws(BusError) {
            try await adapter.set(Adapter1.powered, to: false, within: .seconds(10))
            try? await bus.loop.sleep(until: bus.loop.now + .seconds(2))
            // Who has left cannot be asked, and is switched on when it is back.
            guard isThere(path) else { return post(.recovered(.cycled(path, .vanished))) }
            try await adapter.set(Adapter1.powered, to: true, within: .seconds(20))
            try? await bus.loop.sleep(until: bus.loop.now + .seconds(3))
            post(.recovered(.cycled(path, nil)))
        } catch { post(.recovered(.cycled(path, error))) }
    }

    /// Sent, not waited for: there may be no time.
    func switchOn(_ path: ObjectPath) {
        bus.send(
            MethodCall(
                Bluez.service, path, PropertiesInterface.name, PropertiesInterface.set.name,
                [Adapter1.name.text.value, Adapter1.powered.name.text.value, Variant(true).value], within: .zero))
    }

    private func forget(_ device: ObjectPath) async -> BusError? {
        guard let adapter = device.parent else { return .vanished }
        do throws(BusError) {
            _ = try await bus.object(Bluez.service, adapter).call(Adapter1.removeDevice, device, within: .seconds(10))
            return nil
        } catch { return error }
    }

    private func preferLowEnergy(_ device: ObjectPath) async -> BusError? {
        do throws(BusError) {
            try await bus.object(Bluez.service, device).set(
                Device1.preferredBearer, to: Self.lowEnergy, within: .seconds(5))
            return nil
        } catch { return error }
    }

    private func restartBluez() async {
        do throws(BusError) {
            _ = try await bus.object(SystemdManager.service, SystemdManager.path).call(
                SystemdManager.restartUnit, "bluetooth.service", "replace", within: .seconds(30))
            post(.recovered(.restarted(nil)))
        } catch { post(.recovered(.restarted(error))) }
    }
}
