import Blekeep
import BlekeepOutputs
import BlekeepService
import Logging

/// What a command changes in the configuration of devices. For users, it prints each change at once; for programs, an object
/// for each device after the running poller has read its configuration again.
struct DeviceChanges {
    private let context: CommandContext
    /// The devices that are as the user wants them now.
    private(set) var devices: [DeviceConfiguration] = []
    private var objects: [[(key: String, value: JSON?)]] = []
    private var failures: [Failure] = []

    init(_ context: CommandContext) { self.context = context }

    /// Changes a device, and prints the sentence. A failure is thrown at the end, so that other devices are changed, too.
    ///
    /// - Parameters:
    ///   - state: the word for programs.
    ///   - body: returns the sentence, and the path of the device's file.
    mutating func change(
        _ device: DeviceConfiguration, state: String, was: String? = nil,
        body: () throws(Failure) -> (sentence: String, path: String?)
    ) throws {
        let (sentence, path): (String, String?)
        do { (sentence, path) = try body() } catch { return fail(error) }
        devices.append(device)
        guard context.options.json else { return try context.output.line(sentence) }
        let more: [(key: String, value: JSON?)] = [
            ("was", .text(was)), ("recipe", .text(device.recipe)), ("file", .text(path)),
        ]
        objects.append(JSON.pairs(of: device.name, address: device.address.description, state: state) + more)
    }

    mutating func fail(_ failure: Failure) { failures.append(failure) }

    /// Makes the running poller read its configuration again, and prints the rest.
    ///
    /// - Parameters:
    ///   - done: the sentence for success; `nil` when nothing changed.
    ///   - next: the sentence when nothing polls.
    ///   - isTaken: whether the poller's devices show the changes. They don't when it has another configuration.
    /// - Throws: the failures of the changes.
    func finish(_ done: String?, next: String? = nil, isTaken: ([PollerClient.Device]) -> Bool) async throws {
        let update = devices.isEmpty ? .noPoller : try await RunningPoller.update(context, isTaken: isTaken)
        for pairs in objects { try context.output.line(JSON.object(pairs + [("poller", .text(update.word))]).text) }
        switch update {
        case .noPoller: try say(devices.isEmpty ? nil : next)
        case .taken: try say(done)
        case .otherConfiguration: try say("the running poller has another configuration")
        case .failed(let message): context.log.warning("the running poller doesn't know of the change yet: \(message)")
        }
        guard let first = failures.first else { return }
        let message = failures.map(\.message).joined(separator: "\n")
        throw Failure(devices.isEmpty ? first.code : .someFailed, message)
    }

    /// Finishes after devices were added.
    func finishAddition() async throws {
        let pronoun = devices.count == 1 ? "the device" : "the devices"
        try await finish("the running poller reads \(pronoun) now", next: "next: blekeep poll") { kept in
            devices.allSatisfy { device in kept.contains { $0.address == device.address.description } }
        }
    }

    private func say(_ sentence: String?) throws {
        if let sentence, !context.options.json { try context.output.line(sentence) }
    }
}

/// What the running poller makes of a changed configuration.
enum PollerUpdate {
    case noPoller
    case taken
    case otherConfiguration
    case failed(String)

    /// The word for programs; `nil` without a poller.
    var word: String? {
        switch self {
        case .noPoller: nil
        case .taken: "updated"
        case .otherConfiguration: "other_configuration"
        case .failed: "not_updated"
        }
    }
}

extension JSON {
    /// The beginning of an object that says what a command did with a device.
    static func pairs(of device: String, address: String, state: String) -> [(key: String, value: JSON?)] {
        [("device", .text(device)), ("address", .text(address)), ("state", .text(state))]
    }
}
