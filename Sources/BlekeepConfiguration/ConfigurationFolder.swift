import Glibc

/// A folder with a `config.yaml` and drop-ins in `conf.d`.
struct ConfigurationFolder {
    let path: String

    /// Returns its configuration files, in the order in which blekeep reads them.
    ///
    /// - Throws: problems with unreadable folders, and with files whose names blekeep would ignore.
    func files() throws(ConfigurationErrors) -> [String] {
        var files: [String] = []
        var problems: [ConfigurationProblem] = []
        do {
            for name in try Self.names(in: path) where ["config.yaml", "config.yml"].contains(name) {
                Self.sort("\(path)/\(name)", into: &files, &problems)
            }
            for name in try Self.names(in: "\(path)/conf.d") where !name.hasPrefix(".") {
                Self.sort("\(path)/conf.d/\(name)", into: &files, &problems)
            }
        } catch {
            problems.append(error)
        }
        if !problems.isEmpty { throw ConfigurationErrors(problems) }
        return files
    }

    private static func sort(_ file: String, into files: inout [String], _ problems: inout [ConfigurationProblem]) {
        if file.hasSuffix(".yaml") {
            files.append(file)
        } else if file.hasSuffix(".yml") {
            problems.append(
                ConfigurationProblem(
                    place: ConfigurationLocation(file: file),
                    message: "blekeep doesn't read files with such a name; rename it to end in .yaml"))
        }
    }

    /// Returns the names in a folder, sorted by bytes; none when it doesn't exist.
    private static func names(in folder: String) throws(ConfigurationProblem) -> [String] {
        guard let stream = opendir(folder) else {
            guard errno == EACCES || errno == EPERM else { return [] }
            throw ConfigurationProblem(
                place: ConfigurationLocation(file: folder),
                message: "this user has no permission to read this folder; change its owner or mode")
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            names.append(name)
        }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}
