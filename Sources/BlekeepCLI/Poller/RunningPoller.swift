import Blekeep
import BlekeepConfiguration
import BlekeepHistory
import BlekeepOutputs
import BlekeepService
import DBus
import RunLoop

/// The running poller, as the commands that control it see it.
struct RunningPoller {
    let devices: [PollerClient.Device]
    private let client: PollerClient
    private let context: CommandContext

    /// - Throws: `Failure` when no poller offers its service.
    init(_ context: CommandContext) async throws {
        self.context = context
        do throws(BusError) {
            client = PollerClient(on: try await context.bus())
            devices = try await client.devices()
        } catch { throw Self.elsewhere(error, in: context) ?? Self.failure(error) }
    }

    /// The failure when a poller runs, and doesn't offer its service here; `nil` for another one.
    private static func elsewhere(_ error: BusError, in context: CommandContext) -> Failure? {
        guard ["ServiceUnknown", "NameHasNoOwner"].contains(error.name.split(separator: ".").last),
            let path = try? StoredHistory.path(context), let pid = HistoryHolder.poller(of: path, nil)
        else { return nil }
        return Failure(
            .allFailed,
            "poll runs as process \(pid), but doesn't offer \(Poller1.service) on this message bus: its log says why; with "
                + "another bus, use the same --bus")
    }

    /// Whether a poller offers its service. Nothing is asked of it.
    static func isThere(_ context: CommandContext) async -> Bool {
        guard let bus = try? await context.bus() else { return false }
        return (try? await bus.daemon.call(BusDaemon.getNameOwner, Poller1.service.text, within: .seconds(5))) != nil
    }

    /// Returns the devices with these aliases, IDs or addresses, or of these groups.
    func choose(_ names: [String]) throws(Failure) -> [PollerClient.Device] {
        var chosen: [PollerClient.Device] = []
        for name in names {
            if let group = DeviceGroup(name) {
                let members = devices.filter { group.includes($0.tags) }
                guard !members.isEmpty else { throw Failure(.notFound, Untrusted.whole(unpolled(group))) }
                chosen += members.filter { !chosen.contains($0) }
                continue
            }
            let address = BluetoothAddress(name)?.description
            let device: PollerClient.Device
            if let known = devices.first(where: { $0.address == address }) {
                device = known
            } else {
                let names = devices.map { [$0.alias, $0.id?.description].compactMap(\.self) }
                switch DeviceNames.match(name, among: names) {
                case .one(let index): device = devices[index]
                case .several(let alike):
                    throw Failure(.usage, Untrusted.whole(DeviceNames.ambiguous(name, among: alike)))
                case .none:
                    let message =
                        unpolled(name)
                        ?? DeviceNames.unknown(name, among: devices.map(\.alias), list: Failure.deviceList)
                    throw Failure(.notFound, Untrusted.whole(message))
                }
            }
            if !chosen.contains(device) { chosen.append(device) }
        }
        return chosen
    }

    private var configured: [DeviceConfiguration] { context.optionalConfiguration?.poll.devices ?? [] }

    /// Returns the sentence about a configured device that the poller doesn't have; `nil` for another name.
    private func unpolled(_ name: String) -> String? {
        guard let device = try? DeviceName.resolve(name, among: configured), configured.contains(device) else {
            return nil
        }
        return device.exclusionMessage ?? "the running poller doesn't know \(device.name); \(Self.reloading)"
    }

    /// Returns the sentence about a group that has no device of the poller.
    private func unpolled(_ group: DeviceGroup) -> String {
        let members = group.members(of: configured)
        if members.isEmpty { return group.emptyMessage(devices.flatMap(\.tags)) }
        return members.allSatisfy { $0.exclusion != nil }
            ? group.emptyMessage(configured)
            : "the running poller knows no device\(group.tag.map { " with the tag '\($0)'" } ?? ""); \(Self.reloading)"
    }

    private static let reloading = "'blekeep reload' makes it read its configuration again"

    /// Makes the poller read a device, and returns its values.
    ///
    /// The poller shows new values when they are in the history, up to a second later.
    ///
    /// - Parameter isNew: whether all expected values came.
    func read(_ device: PollerClient.Device, until isNew: ([Reading]) -> Bool) async throws(BusError) -> [Reading] {
        if let message = try await client.call(Poller1.pollNow, of: [device]).values.first {
            throw .remote(name: Poller1.failed, message: message)
        }
        let end = context.loop.now + .seconds(3)
        while true {
            let values = try await client.devices().first { $0.address == device.address }?.values ?? []
            if isNew(values) || context.loop.now >= end { return values }
            try? await context.loop.sleep(until: context.loop.now + .milliseconds(100))
        }
    }

    /// Makes the poller read its configuration again.
    func reload() async throws(Failure) {
        do throws(BusError) { try await client.reload() } catch { throw Self.failure(error) }
    }

    /// Makes the running poller read its changed configuration.
    ///
    /// - Parameter isTaken: whether the poller's devices show the change, if it has the same configuration.
    static func update(
        _ context: CommandContext, isTaken: ([PollerClient.Device]) -> Bool
    ) async throws -> PollerUpdate {
        guard await isThere(context) else { return .noPoller }
        do {
            try await RunningPoller(context).reload()
            let poller = try await RunningPoller(context)
            let place = Composition.configurationLoader(context.options, environment: context.environment).place
            let isSame = (try? await poller.client.configuration()) == place
            return isSame && isTaken(poller.devices) ? .taken : .otherConfiguration
        } catch let failure as Failure { return .failed(failure.message) }
    }

    /// The most devices that are named one by one when all is well.
    private static let maxNamed = 5

    /// Asks the poller for something with devices, and prints the results.
    ///
    /// - Parameters:
    ///   - done: the word for success.
    ///   - until: the time in milliseconds since 1970 when the poller undoes it.
    ///   - call: returns the failures.
    func ask(
        _ devices: [PollerClient.Device], done: String, until: Int64? = nil,
        call: (PollerClient) async throws(BusError) -> Poller1.Failures
    ) async throws {
        let failures: Poller1.Failures
        do throws(BusError) { failures = devices.isEmpty ? [:] : try await call(client) } catch {
            throw Self.failure(error)
        }
        let good = devices.filter { failures[$0.path] == nil }
        if context.options.json {
            for device in good {
                let object: JSON = .object(
                    JSON.pairs(of: device.alias, address: device.address, state: done)
                        + [("until", .text(until.map { UTCTime(milliseconds: $0).iso }))])
                try context.output.line(object.text)
            }
        } else if good.count > Self.maxNamed {
            try context.output.line("\(done) \(good.count) devices")
        } else {
            for device in good { try context.output.line("\(done) \(Untrusted(device.alias))") }
        }
        let sentences = devices.compactMap { device in
            failures[device.path].map { "\(Untrusted(device.alias)): \(Untrusted($0, limit: 1000))" }
        }
        guard !sentences.isEmpty else { return }
        throw Failure(sentences.count == devices.count ? .allFailed : .someFailed, sentences.joined(separator: "\n"))
    }

    static func failure(_ error: BusError) -> Failure {
        switch error {
        case .remote("org.freedesktop.DBus.Error.ServiceUnknown", _),
            .remote("org.freedesktop.DBus.Error.NameHasNoOwner", _):
            Failure(
                .allFailed,
                "no poller runs: start it with 'systemctl start blekeep', or with 'blekeep poll' as a user whom the message "
                    + "bus lets offer \(Poller1.service)")
        case .remote("org.freedesktop.DBus.Error.AccessDenied", _):
            Failure(.allFailed, "polkit or the message bus doesn't let this user do that; try it with sudo")
        case .remote("org.blekeep.Error.BadConfiguration", let message):
            Failure(
                .badConfiguration,
                message.split(separator: "\n").map { "\(Untrusted(String($0), limit: 1000))" }.joined(separator: "\n"))
        case .remote(_, let message): Failure(.allFailed, Untrusted(message, limit: 1000).description)
        case .unreachable, .forbidden: .withoutBluetooth(.noBluez, sentence: "\(error)")
        default: Failure(.allFailed, "the poller didn't answer: \(error)")
        }
    }
}
