import Blekeep
import BlekeepConfiguration
import BlekeepOutputs
import BlekeepSimulation
import DBus
import Glibc
import RunLoop

/// A simulated machine inside this process, with a temporary history.
final class SimulatedWorld: Sendable {
    let historyPath: String
    private let folder: String
    private let scenario: Scenario
    private let recipes: [Recipe]
    /// The devices of the user's file.
    private let configured: [DeviceConfiguration]
    private let daemon: LoopbackDaemon
    private let world: World

    /// - Parameter file: what the file has that `-c` names; `nil` without one.
    /// - Throws: a failure that lists the scenarios when there is none of this name.
    init(_ name: String, file: PollConfiguration?, on loop: RunLoop) throws(Failure) {
        (scenario, recipes) = try Self.plan(name, with: file)
        configured = file?.devices ?? []
        let daemon = LoopbackDaemon(on: loop)
        self.daemon = daemon
        world = World(scenario: scenario) { () async throws(BusError) -> any Bus in try daemon.connect() }
        var template = Array("/tmp/blekeep-simulation-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Failure(.usage, "can't create the simulation's history in /tmp") }
        folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        historyPath = folder + "/history.sqlite"
    }

    deinit {
        for suffix in ["", "-wal", "-shm", ".lock"] { unlink(historyPath + suffix) }
        rmdir(folder)
    }

    var configuration: PollConfiguration {
        var configuration = PollConfiguration(devices: scenario.peripherals.map(device))
        configuration.recipes = recipes.filter { recipe in scenario.peripherals.contains { $0.recipe == recipe.name } }
        return configuration
    }

    /// The configuration of a simulated device. One of the user's file keeps its names and its interval; the simulated device
    /// lacks what else the file may list.
    private func device(_ peripheral: SimulatedPeripheral) -> DeviceConfiguration {
        var device = DeviceConfiguration(
            alias: peripheral.name.isEmpty ? nil : peripheral.name, address: peripheral.address,
            mode: peripheral.services.isEmpty || peripheral.memory != nil ? .passive : .auto)
        device.key = SensorTable.key(of: peripheral.name)
        guard let recipe = recipes.first(where: { $0.name == peripheral.recipe }) else { return device }
        device.recipe = recipe.name
        device.mayWrite = recipe.isOwn
        if recipe.needsSecret { device.secret = Array(RecipeTrial.secret.utf8) }
        if let own = configured.first(where: { $0.address == peripheral.address }) {
            (device.alias, device.ownID, device.tags) = (own.alias ?? device.alias, own.ownID, own.tags)
            (device.interval, device.isEnabled) = (own.interval, own.isEnabled)
        }
        return device
    }

    /// What the machine is like.
    var summary: String { scenario.summary }

    func connect() async throws(BusError) -> any Bus { try daemon.connect() }

    func mounted<T: Sendable>(_ body: @Sendable () async throws -> T) async throws -> T {
        try await world.mounted(body)
    }

    private static func recipes(_ file: PollConfiguration?) -> [Recipe] {
        RecipeCatalogue.all + (file?.recipes ?? []).filter(\.isOwn)
    }

    /// The names of all scenarios, the default first.
    static let names = named.map(\.name)

    /// The names and the summaries, a line each.
    static let list = named.map { "  \($0.name): \($0.summary)" }.joined(separator: "\n")

    private static let named: [(name: String, summary: String)] =
        [Scenario.homeName] + Scenario.all.map { (name: $0.name, summary: $0.summary) } + [Scenario.askedName]

    /// Returns a scenario with the recipes of its devices.
    ///
    /// - Parameters:
    ///   - name: a scenario's name, or the path of a capture.
    ///   - file: what the file has that `-c` names; `nil` without one.
    static func plan(_ name: String, with file: PollConfiguration?) throws(Failure) -> (Scenario, [Recipe]) {
        if let scenario = Scenario.named(name) { return (scenario, []) }
        if name == Scenario.homeName.name { return (.home(RecipeCatalogue.all), RecipeCatalogue.all) }
        if name == Scenario.askedName.name {
            let recipes = recipes(file)
            return (.asked(recipes, configured: file?.devices ?? []), recipes)
        }
        if name.contains("/") || name.hasSuffix(".yaml") { return try captured(name, with: file) }
        throw Failure(
            .usage, "there is no scenario '\(name)'; name a file of 'blekeep capture', or choose one of\n\(list)")
    }

    private static func captured(_ path: String, with file: PollConfiguration?) throws(Failure) -> (Scenario, [Recipe])
    {
        let capture: Capture
        do { capture = try CaptureFile.read(path) } catch { throw Failure(.badConfiguration, error.description) }
        let own = (file?.recipes ?? []).filter(\.isOwn)
        let recipe = capture.recipe.flatMap { name in
            own.first { $0.name == name } ?? RecipeCatalogue.recipe(named: name)
        }
        if let name = capture.recipe, recipe == nil {
            throw Failure(
                .usage,
                "\(Untrusted.whole(path)) is of a device with the recipe \(Untrusted(name)), which blekeep doesn't have; "
                    + "name the file that has it with -c")
        }
        let scenario = Scenario(
            "capture", "the device of a capture", peripherals: [SimulatedPeripheral(capture, recipe: recipe)])
        return (scenario, recipe.map { [$0] } ?? [])
    }
}
