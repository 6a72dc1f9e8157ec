import Blekeep
import BlekeepOutputs
import DBus
import RunLoop

/// The checks of `doctor` that use the message bus.
struct BusChecks: Sendable {
    let bus: any Bus
    let choice: AdapterChoice?
    /// Those that are polled: each may name an adapter of its own.
    let devices: [DeviceConfiguration]

    func run() async -> [Finding] {
        var findings = await bluez()
        findings.append(await inhibitor())
        findings.append(await supply())
        findings.append(await profiles())
        findings.append(await clock())
        return findings
    }

    // MARK: BlueZ

    private func bluez() async -> [Finding] {
        do throws(BusError) {
            let all = try await bus.object(Bluez.service, at: .root).call(
                ObjectManager.getManagedObjects, within: .seconds(20),
                options: .init(largestReply: 128 << 20, wants: { $0.text.split(separator: "/").count <= 3 }))
            var tree = ObjectTree()
            tree.replace(with: all.objects)
            return [.ok("bluez", text: "bluetoothd replies"), .ok("policy", text: "this user may use bluetoothd")]
                + adapters(tree)
                + (await discovery(tree))
        } catch {
            return [Self.refusal(error)]
        }
    }

    private static func refusal(_ error: BusError) -> Finding {
        if error.name == "org.freedesktop.DBus.Error.AccessDenied" {
            return .fail(
                "policy", text: "this user has no permission to use bluetoothd",
                advice: "add the user to the group bluetooth, log in again, or run as root", code: .noBluez
            ).because(error)
        }
        return .fail(
            "bluez", text: "bluetoothd doesn't reply", advice: "install bluez, then 'systemctl enable --now bluetooth'",
            code: .noBluez
        ).because(error)
    }

    private func adapters(_ tree: ObjectTree) -> [Finding] {
        let all = tree.paths(with: Adapter1.name)
        guard !all.isEmpty else {
            return [
                .fail(
                    "adapter", text: "there is no Bluetooth adapter",
                    advice: "plug one in; 'dmesg | grep -i bluetooth' shows missing firmware", code: .noAdapter)
            ]
        }
        let named =
            [(choice: choice, what: "")]
            + devices.compactMap { device in
                device.adapter.map { ($0, ", which \(device.name) names") }
            }
        let missing = named.filter { named in
            !all.contains { named.choice.matches($0.name, address: tree.adapterAddress($0)) }
        }
        return missing.map { named in
            .fail(
                "adapter", text: "there is no adapter \(named.choice.map { "\($0)" } ?? "")\(named.what)",
                advice: "there is \(all.map { String($0.name) }.joined(separator: ", "))", code: .noAdapter)
        }
            + all.map { path in
                let name = "\(path.name) \(Untrusted(tree[path, Adapter1.address] ?? ""))"
                guard tree[path, Adapter1.powered] == true else {
                    return .fail(
                        "adapter", text: "\(name) is off",
                        advice: "'rfkill unblock bluetooth', then 'bluetoothctl power on'",
                        code: .noAdapter)
                }
                return .ok("adapter", text: "\(name) is on" + Self.abilities(of: path, in: tree))
            }
    }

    /// What the controller is, as far as the kernel says it, and what it can hear besides usual advertisements.
    private static func abilities(of path: ObjectPath, in tree: ObjectTree) -> String {
        let channels = tree[path, LEAdvertisingManager1.supportedSecondaryChannels] ?? []
        let parts = [
            AdapterHardware.name(of: String(path.name)).map { Untrusted($0).description },
            channels.isEmpty ? nil : "extended advertising", channels.contains("Coded") ? "long range" : nil,
        ].compactMap(\.self)
        return parts.isEmpty ? "" : ": " + parts.joined(separator: ", ")
    }

    /// Searches for a moment, as `poll` does.
    private func discovery(_ tree: ObjectTree) async -> [Finding] {
        let adapter = tree.paths(with: Adapter1.name).first {
            choice.matches($0.name, address: tree.adapterAddress($0)) && tree[$0, Adapter1.powered] == true
        }
        guard let adapter else { return [] }
        let discovery = Discovery(on: bus, adapter)
        do throws(BusError) {
            let refusal = try await discovery.start(repeating: true)
            let isDiscovering = try await isDiscovering(adapter)
            try? await discovery.stop()
            guard isDiscovering else {
                return [
                    .fail(
                        "discovery",
                        text: "BlueZ accepts to search for devices with \(adapter.name), but doesn't search",
                        advice:
                            "'bluetoothctl power off', then 'bluetoothctl power on'; or unplug the adapter and plug "
                            + "it in again", code: .noAdapter)
                ]
            }
            let listening = [Self.listening(adapter, in: tree)] + Self.others(adapter, in: tree)
            guard let refusal else { return [.ok("discovery", text: "BlueZ searches for devices")] + listening }
            let keys = refusal.keys.joined(separator: " and ")
            return [
                .warn(
                    "discovery", text: "BlueZ refuses \(keys) in the filter of a search",
                    advice: "blekeep searches without; a newer BlueZ may take it"
                ).because(refusal.error)
            ]
        } catch {
            return [
                .fail(
                    "discovery", text: "BlueZ refuses to search for devices",
                    advice: "'systemctl restart bluetooth'; until then, only devices that BlueZ knows are read",
                    code: .noAdapter
                ).because(error)
            ]
        }
    }

    /// A search that was on before: each sensor in range answers it, whoever began it.
    private static func others(_ adapter: ObjectPath, in tree: ObjectTree) -> [Finding] {
        guard tree[adapter, Adapter1.discovering] == true else { return [] }
        return [
            .ok(
                "listening",
                text:
                    "\(adapter.name) searches already, for 'blekeep poll' or another program; all sensors in range answer"
            )
        ]
    }

    /// How `poll` hears sensors that only advertise, and what would spare their batteries.
    private static func listening(_ adapter: ObjectPath, in tree: ObjectTree) -> Finding {
        guard tree[adapter, AdvertisementMonitorManager1.supportedMonitorTypes]?.contains("or_patterns") == true else {
            return .ok(
                "listening",
                text: "\(adapter.name) listens by asking all sensors in range, which costs their batteries a little; "
                    + "'Experimental = true' under [General] in /etc/bluetooth/main.conf, and 'systemctl restart bluetooth', "
                    + "let it listen without asking")
        }
        return .ok(
            "listening",
            text: "\(adapter.name) can listen without asking sensors; 'ScanIntervalAdvMonitor = 96' and "
                + "'ScanWindowAdvMonitor = 96' under [LE] in /etc/bluetooth/main.conf let it hear each packet")
    }

    /// Whether BlueZ says that the adapter searches, or says so within 2 s.
    private func isDiscovering(_ adapter: ObjectPath) async throws(BusError) -> Bool {
        let object = bus.object(Bluez.service, at: adapter)
        for isLast in [false, false, false, true] {
            if try await object.get(Adapter1.discovering, within: .seconds(5)) { return true }
            if !isLast { try? await bus.loop.sleep(until: bus.loop.now + .milliseconds(700)) }
        }
        return false
    }

    // MARK: Others

    private func inhibitor() async -> Finding {
        let arguments = ["sleep", "blekeep doctor", "checks whether a poll can delay a suspend", "delay"]
        let call = MethodCall(
            "org.freedesktop.login1", at: "/org/freedesktop/login1", interface: "org.freedesktop.login1.Manager",
            member: "Inhibit",
            arguments: arguments.map { .string($0) }, within: .seconds(5))
        await start(call.destination)
        do throws(BusError) {
            // The lock ends with the descriptor.
            guard case .descriptor? = try await bus.call(call).first else { throw .malformed("Inhibit") }
            return .ok("inhibit", text: "blekeep can delay a suspend until a read ends")
        } catch {
            return .warn(
                "inhibit", text: "blekeep can't delay a suspend",
                advice: "install systemd-logind, unless the machine never sleeps"
            ).because(error)
        }
    }

    private func supply() async -> Finding {
        do throws(BusError) {
            let onBattery = try await get(
                "org.freedesktop.UPower", at: "/org/freedesktop/UPower", interface: "org.freedesktop.UPower",
                property: "OnBattery")
            return .ok("upower", text: onBattery == .boolean(true) ? "on battery" : "on mains")
        } catch {
            return .warn(
                "upower", text: "UPower isn't running",
                advice: "without it, blekeep gets the power state from the kernel")
        }
    }

    private func profiles() async -> Finding {
        let places = [
            ("org.freedesktop.UPower.PowerProfiles", "/org/freedesktop/UPower/PowerProfiles"),
            ("net.hadess.PowerProfiles", "/net/hadess/PowerProfiles"),
        ]
        for (name, path) in places {
            guard let service = BusName(name), let path = ObjectPath(path), let interface = InterfaceName(name),
                case .string(let profile)? = try? await get(
                    service, at: path, interface: interface, property: "ActiveProfile")
            else { continue }
            return .ok("profiles", text: "the power profile is \(Untrusted(profile))")
        }
        return .warn(
            "profiles", text: "power-profiles-daemon isn't running",
            advice: "without it, a power-saver profile can't lengthen intervals")
    }

    private func clock() async -> Finding {
        do throws(BusError) {
            let synced = try await get(
                "org.freedesktop.timedate1", at: "/org/freedesktop/timedate1", interface: "org.freedesktop.timedate1",
                property: "NTPSynchronized")
            if synced == .boolean(true) { return .ok("clock", text: "the clock is synchronized") }
            return .warn(
                "clock", text: "the clock isn't synchronized",
                advice: "readings may have wrong times; run 'timedatectl set-ntp true'"
            )
        } catch {
            return .warn(
                "clock", text: "systemd-timedated isn't running, so the clock may be wrong",
                advice: "compare 'date' with a good clock")
        }
    }

    /// Starts an installed service. Otherwise a service that isn't running yet would look like a fault, because blekeep's
    /// calls don't start services.
    private func start(_ service: BusName) async {
        _ = try? await bus.daemon.call(BusDaemon.startServiceByName, service.text, 0, within: .seconds(15))
    }

    private func get(
        _ service: BusName, at path: ObjectPath, interface: InterfaceName, property: String
    ) async throws(BusError) -> Value {
        await start(service)
        return try await bus.object(service, at: path).call(
            PropertiesInterface.get, interface.text, property, within: .seconds(5)
        ).content
    }
}
