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
        let folders = ConfigurationLoader(
            environment: Composition.environment, names: Composition.characteristicNames
        ).folders
        let first = loaded?.files.first
        let folder = folders.first { first?.hasPrefix($0 + "/") == true } ?? folders.first
        guard let folder else { throw Failure(.badConfiguration, "there is no place for a configuration: set HOME") }
        let path = "\(folder)/conf.d/\(fileName(alias)).yaml"
        guard access(path, F_OK) != 0 else { throw refusal(path, EEXIST) }
        return folder
    }

    /// - Returns: the path.
    static func write(_ text: String, for alias: String, in folder: String) throws(Failure) -> String {
        let path = "\(folder)/conf.d/\(fileName(alias)).yaml"
        for parent in [folder, "\(folder)/conf.d"] { mkdir(parent, 0o755) }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o644)
        guard descriptor >= 0 else { throw refusal(path, errno) }
        defer { close(descriptor) }
        var rest = Array("# Written by 'blekeep pair'; yours to change.\n\(text)".utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                let code = errno
                unlink(path)
                throw refusal(path, code)
            }
            rest = rest.dropFirst(count)
        }
        return path
    }

    /// Letters, digits and hyphens.
    static func fileName(_ alias: String) -> String {
        let letters = alias.lowercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" }
        let name = String(letters).split(separator: "-").joined(separator: "-")
        return name.isEmpty ? "device" : name
    }

    private static func refusal(_ path: String, _ code: Int32) -> Failure {
        let why = code == EEXIST ? "it is there already" : strerror(code).map { String(cString: $0) } ?? "error \(code)"
        return Failure(.badConfiguration, "\(Quoted.harmless(path)) is not written: \(why)")
    }
}
