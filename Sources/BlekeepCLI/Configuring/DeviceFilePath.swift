import Blekeep
import BlekeepConfiguration
import BlekeepOutputs
import Glibc

/// The path of a new device's configuration file, in conf.d.
enum DeviceFilePath {
    /// - Throws: before any radio traffic, when blekeep wouldn't read the file, the file exists, or the device is
    ///   configured already.
    static func path(
        for device: DeviceConfiguration, _ options: GlobalOptions, environment: [String: String]
    ) throws(Failure) -> String {
        let files = try DeviceFiles.load(options, environment: environment)
        let folder = try folder(files?.all.first, options: options, environment: environment)
        try check(device, files: files)
        return try path(for: device, in: folder)
    }

    /// - Parameter first: the first configuration file; `nil` if there is none.
    /// - Throws: when blekeep doesn't read a folder of configurations.
    /// - Returns: the folder for files of devices.
    static func folder(
        _ first: String?, options: GlobalOptions, environment: [String: String]
    ) throws(Failure) -> String {
        if let file = options.configurationFile(in: environment) {
            throw Failure(
                .usage,
                "with the configuration file \(Untrusted.whole(file)), blekeep doesn't read conf.d; "
                    + "leave out -c and BLEKEEP_CONFIG")
        }
        let folders = Composition.configurationLoader(options, environment: environment).folders
        let folder = folders.first { first?.hasPrefix($0 + "/") == true } ?? folders.first
        guard let folder else { throw Failure(.badConfiguration, "there is no place for a configuration: set HOME") }
        return folder + "/conf.d"
    }

    /// - Throws: when the file exists.
    static func path(for device: DeviceConfiguration, in folder: String) throws(Failure) -> String {
        let name = name(device.alias ?? "")
        let path = "\(folder)/\(name.isEmpty ? device.address.joined(by: "-").lowercased() : name).yaml"
        guard access(path, F_OK) != 0 else {
            throw Failure(.badConfiguration, "\(Untrusted.whole(path)) exists already")
        }
        return path
    }

    /// - Throws: when the device is configured already, or another one has its alias or its ID.
    static func check(_ device: DeviceConfiguration, files: DeviceFiles?) throws(Failure) {
        for other in files?.configuration.poll.devices ?? [] {
            if other.address == device.address {
                throw Failure(.badConfiguration, sentence(other, file: files?.file(of: other.address)))
            }
            if let alias = device.alias, other.isCalled(alias) {
                throw Failure(.badConfiguration, "the alias '\(alias)' is taken already, by \(other.address)")
            }
            if other.id == device.id {
                throw Failure(
                    .badConfiguration,
                    "the ID \(device.id) is taken already, by \(other.address); write \(device.address) into a file by hand, with another 'id:'"
                )
            }
        }
    }

    /// Returns the sentence about a device that is configured already.
    static func sentence(_ device: DeviceConfiguration, file: String?) -> String {
        let file = file.map { ", in \(Untrusted.whole($0))" } ?? ""
        return "\(device.address) is configured already, as \(Untrusted(device.name))\(file)"
    }

    /// Returns the letters, digits and hyphens of an alias, which may be none.
    static func name(_ alias: String) -> String {
        let letters = alias.lowercased().map { character -> Character in
            character.isASCII && (character.isLetter || character.isNumber) ? character : "-"
        }
        return String(letters).split(separator: "-").joined(separator: "-")
    }
}
