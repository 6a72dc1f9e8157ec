import Blekeep
import BlekeepOutputs
import Glibc

/// A configuration file of its own for a device that was paired. Nothing that is there is touched.
enum PairedFile {
    /// The folder in which to write.
    ///
    /// - Throws: before anything is on the air, when the file would not be read, or the device is configured already.
    static func folder(_ options: GlobalOptions, adding device: DeviceConfiguration, as alias: String) throws -> String
    {
        let loaded = try Composition.loadConfiguration(options)
        if let file = options.config {
            throw Failure(.usage, "with -c \(Quoted.harmless(file)) no conf.d is read; leave out -c, or --add")
        }
        for other in loaded?.configuration.devices ?? [] where other.address == device.address || other.alias == alias {
            throw Failure(.badConfiguration, "\(Untrusted(other.name)) (\(other.address)) is configured already")
        }
        let folders = Composition.configurationLoader(options, environment: Composition.environment).folders
        let first = loaded?.files.first
        let folder = folders.first { first?.hasPrefix($0 + "/") == true } ?? folders.first
        guard let folder else { throw Failure(.badConfiguration, "there is no place for a configuration: set HOME") }
        let path = path(of: alias, in: folder)
        guard access(path, F_OK) != 0 else {
            throw Failure(.badConfiguration, "\(Quoted.harmless(path)) is there already, and is not touched")
        }
        return folder
    }

    /// - Returns: the path.
    static func write(_ text: String, for alias: String, in folder: String) throws(Failure) -> String {
        let path = path(of: alias, in: folder)
        try NewFile.write("# Written by 'blekeep pair'; yours to change.\n\(text)", to: path)
        return path
    }

    private static func path(of alias: String, in folder: String) -> String {
        let letters = alias.lowercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" }
        let name = String(letters).split(separator: "-").joined(separator: "-")
        return "\(folder)/conf.d/\(name.isEmpty ? "device" : name).yaml"
    }
}
