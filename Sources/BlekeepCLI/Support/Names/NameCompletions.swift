import ArgumentParser
import Blekeep
import BlekeepConfiguration
import BlekeepSimulation

/// What the shells complete.
extension CompletionKind {
    /// The configured devices: their aliases, their addresses after the first digit, and the groups by tag.
    static let device = CompletionKind.custom { words, index, _ in
        guard let options = try? GlobalOptions.ofEnvironment() else { return [] }
        let configuration = try? Composition.loadConfiguration(options, mayWait: false)?.configuration
        let typed = words.indices.contains(index) ? words[index] : ""
        return NameCompletions.devices(configuration?.poll.devices ?? [], typed: typed).map(NameCompletions.shown)
    }

    /// The configured devices, and the keys of a device.
    static let setting = CompletionKind.custom { words, index, _ in
        guard let options = try? GlobalOptions.ofEnvironment() else { return [] }
        let configuration = try? Composition.loadConfiguration(options, mayWait: false)?.configuration
        let typed = words.indices.contains(index) ? words[index] : ""
        let devices = NameCompletions.devices(configuration?.poll.devices ?? [], typed: typed)
        return (devices + DeviceValue.keys).map(NameCompletions.shown)
    }

    /// The official names of characteristics.
    static let characteristic = CompletionKind.custom { _, _, _ in AssignedNumbers.characteristicNames }

    static let scenario = CompletionKind.list(SimulatedWorld.names)

    /// Local adapters.
    static let adapter = CompletionKind.shellCommand("ls /sys/class/bluetooth 2>/dev/null | grep -x 'hci[0-9]*'")
}

enum NameCompletions {
    /// - Parameter typed: the beginning of the word.
    static func devices(_ devices: [DeviceConfiguration], typed: String) -> [String] {
        let names = devices.map(\.name)
        let groups = Set(devices.flatMap(\.tags)).sorted().map { DeviceGroup.prefix + $0 }
        let addresses = devices.filter { $0.alias != nil }.map(\.address.description)
        return names + groups + (typed.first?.isHexDigit == true ? addresses : [])
    }

    /// Returns a completion as the shell that asks expects it: zsh takes what follows a colon for a description.
    static func shown(_ text: String) -> String {
        CompletionShell.requesting == .zsh ? text.replacing(":", with: "\\:") : text
    }
}
