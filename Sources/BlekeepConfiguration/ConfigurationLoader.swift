import Blekeep
import Glibc

/// Finds and reads the configuration files. Unknown keys are mistakes.
///
/// With `-c`, blekeep reads only that file. Otherwise it reads the first folder with any file: the user's
/// (`$XDG_CONFIG_HOME/blekeep`, or `~/.config/blekeep`), then `/etc/blekeep`; for root, the reverse. In a folder, it reads
/// `config.yaml`, then `conf.d/*.yaml` by name. Each of these may add devices, and set what no other file sets.
package struct ConfigurationLoader: Sendable {
    /// The file that `-c` names; `nil` to search the folders.
    var file: String?
    var environment: [String: String]
    var names: CharacteristicNames
    var isRoot = geteuid() == 0
    var systemFolder = "/etc/blekeep"
    /// Whether to wait for a program that writes into a pipe.
    package var mayWait = true

    /// Reads all files, and reports all mistakes at once.
    ///
    /// - Returns: `nil` when there is no configuration file.
    package func load() throws(ConfigurationErrors) -> LoadedConfiguration? {
        let files = try files()
        guard !files.isEmpty else { return nil }
        var parts: [ConfigurationPart] = []
        var problems: [ConfigurationProblem] = []
        for file in files {
            do {
                let parser = ConfigurationParser(
                    // Nobody writes into a pipe that lies in a folder.
                    try ConfigurationFile.read(file, mayWait: mayWait && self.file != nil), file: file, names: names)
                parts.append(parser.part)
                problems += parser.problems
            } catch {
                problems.append(error)
            }
        }
        let merge = ConfigurationMerge(parts)
        problems += merge.problems
        if !problems.isEmpty { throw ConfigurationErrors(problems, files: files) }
        return LoadedConfiguration(
            configuration: merge.configuration, files: files, layoutTests: parts.reduce(0) { $0 + $1.layoutTests },
            namedFiles: parts.flatMap(\.namedFiles))
    }

    private func files() throws(ConfigurationErrors) -> [String] {
        if let file { return [file] }
        for folder in folders {
            let files = try ConfigurationFolder(path: folder).files()
            if !files.isEmpty { return files }
        }
        return []
    }

    /// The folders of configurations, in the order of preference.
    package var folders: [String] {
        guard let own else { return [systemFolder] }
        return isRoot ? [systemFolder, own] : [own, systemFolder]
    }

    private var own: String? {
        if let folder = environment["XDG_CONFIG_HOME"], folder.hasPrefix("/") { return "\(folder)/blekeep" }
        guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
        return "\(home)/.config/blekeep"
    }
}

extension ConfigurationLoader {
    /// - Parameter file: the only file to read; `nil` to search the folders.
    package init(file: String?, environment: [String: String], names: CharacteristicNames) {
        self.init(file: file, environment: environment, names: names, isRoot: geteuid() == 0)
    }
}
