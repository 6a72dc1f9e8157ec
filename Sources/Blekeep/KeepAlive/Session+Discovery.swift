import DBus

/// Discovery, as one connection to the bus asks for it.
extension Session {
    /// - Parameter isListening: whether somebody is listened to, and not only searched for.
    func startDiscovery(_ path: ObjectPath, isListening: Bool) async {
        let adapter = bus.object(Bluez.service, path)
        do throws(BusError) {
            // Without a filter BlueZ also looks for classic devices, which takes the air from ours; and who listens
            // must be told of a packet that is the same as the one before, or it would seem to be silent.
            var filter = ["Transport": Variant("le")]
            if isListening { filter["DuplicateData"] = Variant(true) }
            _ = try await adapter.call(Adapter1.setDiscoveryFilter, filter, within: .seconds(5))
            _ = try await adapter.call(Adapter1.startDiscovery, within: .seconds(10))
            post(.answered(true))
            post(.discovering(path, nil))
        } catch {
            post(.answered(error != .timedOut))
            post(.discovering(path, error))
        }
    }

    func stopDiscovery(_ path: ObjectPath) async {
        let adapter = bus.object(Bluez.service, path)
        do throws(BusError) {
            _ = try await adapter.call(Adapter1.stopDiscovery, within: .seconds(5))
            post(.answered(true))
        } catch .remote(name: "org.bluez.Error.InProgress", _) {
            // BlueZ's own idea of who discovers is wrong: starting once more puts it right.
            _ = try? await adapter.call(Adapter1.startDiscovery, within: .seconds(5))
            _ = try? await adapter.call(Adapter1.stopDiscovery, within: .seconds(5))
        } catch {
            post(.answered(error != .timedOut))
        }
    }
}
