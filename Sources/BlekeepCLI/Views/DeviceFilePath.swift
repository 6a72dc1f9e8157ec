import Blekeep
import BlekeepOutputs
import Glibc

/// The path of a new device's configuration file, in conf.d.
enum DeviceFilePath {
    /// - Throws: before any radio traffic, when blekeep wouldn't read the file, the file exists, or the device is
    ///   configured already.
    static func path(
        for device: DeviceConfiguration, _ options: GlobalOptions, environment: [String: String]
    ) throws(Failure) -> String {
        if let file = options.configurationFile(in: environment) {
            throw Failure(
                .usage,
                "with the configuration file \(Untrusted.whole(file)), blekeep doesn't read conf.d; "
                    + "leave out -c and BLEKEEP_CONFIG")
        }
        let loaded = try Composition.loadConfiguration(options, environment: environment)
        try check(device, loaded?.configuration)
        let folders = Composition.configurationLoader(options, environment: environment).folders
        let first = loaded?.files.first
        let folder = folders.first { first?.hasPrefix($0 + "/") == true } ?? folders.first
        guard let folder else { throw Failure(.badConfiguration, "there is no place for a configuration: set HOME") }
        let path = "\(folder)/conf.d/\(name(of: device)).yaml"
        guard access(path, F_OK) != 0 else {
            throw Failure(.badConfiguration, "\(Untrusted.whole(path)) exists already")
        }
        return path
    }

    /// - Throws: when the device is configured already, or another one has its alias.
    static func check(_ device: DeviceConfiguration, _ configuration: Configuration?) throws(Failure) {
        for other in configuration?.devices ?? [] {
            if other.address == device.address {
                throw Failure(.badConfiguration, "\(device.address) is configured already, as \(Untrusted(other.name))")
            }
            if let alias = device.alias, other.alias == alias {
                throw Failure(.badConfiguration, "the alias '\(alias)' is taken already, by \(other.address)")
            }
        }
    }

    /// Returns the letters, digits and hyphens of the alias, or the address if there are none.
    private static func name(of device: DeviceConfiguration) -> String {
        let letters = (device.alias ?? "").lowercased().map { character -> Character in
            character.isASCII && (character.isLetter || character.isNumber) ? character : "-"
        }
        let name = String(letters).split(separator: "-").joined(separator: "-")
        return name.isEmpty ? device.address.joined(by: "-").lowercased() : name
    }
}
