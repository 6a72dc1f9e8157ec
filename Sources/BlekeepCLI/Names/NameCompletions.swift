import ArgumentParser
import Blekeep
import BlekeepConfiguration
import BlekeepHistory

extension CompletionKind {
    /// The configured devices: their aliases, their addresses after the first digit, and the groups by tag.
    static let device = CompletionKind.custom { words, index, _ in
        let configuration = NameCompletions.configuration
        let typed = words.indices.contains(index) ? words[index] : ""
        return NameCompletions.devices(configuration?.poll.devices ?? [], typed: typed).map(NameCompletions.shown)
    }

    /// The configured devices, and the keys of a device.
    static let setting = CompletionKind.custom { words, index, _ in
        let configuration = NameCompletions.configuration
        let typed = words.indices.contains(index) ? words[index] : ""
        let devices = NameCompletions.devices(configuration?.poll.devices ?? [], typed: typed)
        return (devices + DeviceValue.keys).map(NameCompletions.shown)
    }

    /// The stored fields of the device in the words before, or of all devices. Without any, the official names.
    static let field = CompletionKind.custom { words, index, _ in
        let configuration = NameCompletions.configuration
        let fields = try? StoredHistory.read(at: Composition.readHistoryPath(configuration)) { reader in
            try NameCompletions.fields(words.prefix(max(0, index)), configuration?.poll.devices ?? [], in: reader)
        }
        return (fields.flatMap { $0.isEmpty ? nil : $0 } ?? AssignedNumbers.characteristicNames).map(
            NameCompletions.shown)
    }

    static let rule = CompletionKind.custom { _, _, _ in
        let configuration = NameCompletions.configuration
        return (configuration?.poll.rules ?? []).map(\.name)
    }

    static let characteristic = CompletionKind.custom { _, _, _ in AssignedNumbers.characteristicNames }

    static let scenario = CompletionKind.list(SimulatedWorld.names)

    static let adapter = CompletionKind.shellCommand("ls /sys/class/bluetooth 2>/dev/null | grep -x 'hci[0-9]*'")
}

enum NameCompletions {
    /// The configuration in the environment; `nil` without one, or when it has mistakes.
    fileprivate static var configuration: Configuration? {
        guard let options = try? GlobalOptions.usual else { return nil }
        return try? Composition.loadConfiguration(options, mayWait: false)?.configuration
    }

    /// - Parameter typed: the beginning of the word.
    static func devices(_ devices: [DeviceConfiguration], typed: String) -> [String] {
        let names = devices.map(\.name)
        let groups = Set(devices.flatMap(\.tags)).sorted().map { DeviceGroup.prefix + $0 }
        let addresses = devices.filter { $0.alias != nil }.map(\.address.description)
        return names + groups + (devices.isEmpty ? [] : [DeviceGroup.all])
            + (typed.first?.isHexDigit == true ? addresses : [])
    }

    /// The names of the newest values of the first device among the words, or of all devices.
    static func fields(
        _ words: some Sequence<String>, _ configured: [DeviceConfiguration], in reader: HistoryReader
    ) throws -> [String] {
        var query = HistoryQuery()
        query.devices =
            words.lazy.compactMap { try? [HistoryDevice.resolve($0, among: configured, in: reader)] }.first ?? []
        let fields = try reader.latest(query).map(\.reading).compactMap { reading -> String? in
            if case .value(let value, _) = reading.outcome { value.field } else { nil }
        }
        return Set(fields).sorted()
    }

    /// Returns a completion as the shell that asks expects it: zsh takes what follows a colon for a description.
    static func shown(_ text: String) -> String {
        CompletionShell.requesting == .zsh ? text.replacing(":", with: "\\:") : text
    }
}
