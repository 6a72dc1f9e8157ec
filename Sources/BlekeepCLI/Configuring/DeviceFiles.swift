import Blekeep
import BlekeepConfiguration
import BlekeepOutputs

/// The configuration files, as the commands that change devices see them.
struct DeviceFiles {
    let configuration: Configuration
    private var files: [BluetoothAddress: String] = [:]
    private let rulePlaces: [ConfigurationLocation]

    /// The paths of all files, in the order in which blekeep reads them.
    let all: [String]
    /// The file of the fleet's configuration, which isn't changed here; `nil` for none.
    private let fleetFile: String?
    private let options: GlobalOptions
    private let environment: [String: String]
    private let lock: ConfigurationLock

    /// Reads the files to change them. Other commands wait until `unlock`, or until the last change.
    /// Throws a failure when there is no configuration, or when it has mistakes.
    init(_ options: GlobalOptions, environment: [String: String]) throws(Failure) {
        let lock = ConfigurationLock(Composition.configurationLoader(options, environment: environment))
        try lock.acquire()
        guard let files = try Self.load(options, environment: environment, lock) else { throw Failure.noConfiguration }
        self = files
    }

    /// Lets other commands change the files. `apply` waits for them, and changes what the files have then.
    func unlock() { lock.release() }

    /// - Throws: a failure when the configuration has mistakes.
    /// - Returns: `nil` when there is no configuration.
    static func load(
        _ options: GlobalOptions, environment: [String: String], _ lock: ConfigurationLock? = nil
    ) throws(Failure) -> DeviceFiles? {
        // What a pipe had can't be changed.
        let loaded = try Composition.loadConfiguration(options, environment: environment, mayWait: false)
        guard let loaded else { return nil }
        let lock = lock ?? ConfigurationLock(Composition.configurationLoader(options, environment: environment))
        return DeviceFiles(loaded, options, environment: environment, lock)
    }

    private init(
        _ loaded: LoadedConfiguration, _ options: GlobalOptions, environment: [String: String],
        _ lock: ConfigurationLock
    ) {
        self.lock = lock
        self.options = options
        self.environment = environment
        configuration = loaded.configuration
        all = loaded.files
        fleetFile = loaded.fleetFile
        rulePlaces = loaded.rulePlaces
        for (device, file) in zip(loaded.configuration.poll.devices, loaded.deviceFiles) {
            files[device.address] = file
        }
    }

    func file(of address: BluetoothAddress) -> String? { files[address] }

    func device(_ text: String) throws(Failure) -> DeviceConfiguration {
        try configured([DeviceName.resolve(text, among: configuration.poll.devices)])[0]
    }

    func devices(_ texts: [String]) throws(Failure) -> [DeviceConfiguration] {
        try configured(DeviceName.resolveAll(texts, among: configuration.poll.devices))
    }

    private func configured(_ devices: [DeviceConfiguration]) throws(Failure) -> [DeviceConfiguration] {
        guard let other = devices.first(where: { files[$0.address] == nil })?.address else { return devices }
        throw Failure(.notFound, "\(other) isn't configured; 'blekeep add \(other)' writes its configuration")
    }

    struct Changes {
        /// The addresses of the devices whose text changed.
        var devices: Set<BluetoothAddress> = []
        /// The rules that call a device by its new name now.
        var rules: [String] = []
        var configuration: Configuration

        /// The end of a sentence about a device, such as ` and in the rule frost`; empty without a changed rule.
        var ruleWords: String {
            rules.isEmpty ? "" : " and in the rule\(rules.count == 1 ? "" : "s") \(rules.joined(separator: ", "))"
        }
    }

    /// Changes devices in their files at once, or none of them, and with a device's name the rules that have it. A file in
    /// `conf.d` that has nothing else is removed with its devices.
    ///
    /// - Throws: when the configuration has mistakes after that, or a rule needs a device that is removed.
    func apply(_ edits: [(edit: DeviceEdit, device: DeviceConfiguration)]) throws(Failure) -> Changes {
        let wasLocked = lock.isHeld
        try lock.acquire()
        defer { if !wasLocked { lock.release() } }
        var drafts: [String: String] = [:]
        var changes = Changes(configuration: configuration)
        /// - Returns: whether the text changed.
        func change(_ path: String, by edit: (String) throws(ConfigurationErrors) -> String) throws(Failure) -> Bool {
            let draft = drafts[path]
            let text = if let draft { draft } else { try Self.read(path) }
            do { drafts[path] = try edit(text) } catch { throw Failure(.badConfiguration, error.description) }
            return drafts[path] != text
        }
        let names = Composition.characteristicNames
        for (edit, device) in edits {
            let path = try ownFile(of: device)
            let new = edit.changed(device, names: names)
            if new == nil { try checkRemoval(of: device) }
            let isChanged = try change(path) { text throws(ConfigurationErrors) in
                try edit.applied(to: device.address, in: text, file: path, names: names)
            }
            if isChanged { changes.devices.insert(device.address) }
            guard let new else { continue }
            for (rule, place) in zip(configuration.poll.rules, rulePlaces) where place.file != fleetFile {
                guard let edit = RuleEdit(rule, about: device, now: new) else { continue }
                _ = try change(place.file) { text throws(ConfigurationErrors) in
                    try edit.applied(in: text, file: place.file, names: names)
                }
                changes.rules.append(edit.rule)
            }
        }
        changes.configuration = try configuration(with: drafts)
        for (path, text) in drafts.sorted(by: { $0.key < $1.key }) where try Self.read(path) != text {
            if path.contains("/conf.d/"), DeviceEdit.isEmpty(text) {
                try NewFile.remove(path)
            } else {
                try NewFile.replace(text, at: path)
            }
        }
        return changes
    }

    /// - Throws: a failure that names the rule that is about only this device.
    private func checkRemoval(of device: DeviceConfiguration) throws(Failure) {
        for (rule, place) in zip(configuration.poll.rules, rulePlaces) {
            guard case .device = rule.when.subject, rule.when.subject.includes(device) else { continue }
            let name = Untrusted(device.name)
            throw Failure(
                .badConfiguration,
                "the rule \(rule.name) is about \(name): remove the rule first, at \(place); "
                    + "'blekeep set \(name) enabled false' keeps both")
        }
    }

    /// Returns the configuration as it would be with these texts in its files.
    ///
    /// - Throws: when it would have mistakes, such as a rule about a tag that no device has, or would name another file that
    ///   can't be used, such as that of a key.
    private func configuration(with drafts: [String: String]) throws(Failure) -> Configuration {
        let new: Configuration
        do {
            let loaded = try Composition.loadConfiguration(
                options, environment: environment, mayWait: false, drafts: drafts)
            new = loaded?.configuration ?? configuration
        } catch {
            throw Failure(
                .badConfiguration,
                "nothing was changed, because the changed configuration would be wrong:\n\(error.message)")
        }
        let known = Set(configuration.namedFiles.map(\.file))
        for named in new.namedFiles where !known.contains(named.file) {
            guard let problem = named.problem(Credentials(environment: environment)), !problem.isOnlyHere else {
                continue
            }
            throw Failure(.badConfiguration, "nothing was changed: \(Untrusted.whole(named.place)): \(problem)")
        }
        return new
    }

    /// - Throws: a failure for a device that isn't in this gateway's own files.
    private func ownFile(of device: DeviceConfiguration) throws(Failure) -> String {
        guard let path = files[device.address] else { throw Failure(.notFound, "\(device.address) isn't configured") }
        guard path != fleetFile else {
            throw Failure(
                .badConfiguration,
                "\(device.name) is in the fleet's configuration; change it there, and run 'blekeep fleet apply'")
        }
        return path
    }

    /// Changes a device, as `apply` changes several.
    /// Returns the path of its file, and where its name changed besides, for a sentence.
    func apply(_ edit: DeviceEdit, to device: DeviceConfiguration) throws(Failure) -> (path: String, rules: String) {
        (try ownFile(of: device), try apply([(edit, device)]).ruleWords)
    }

    private static func read(_ path: String) throws(Failure) -> String {
        do { return try ConfigurationFile.read(path, mayWait: false) } catch {
            throw Failure(.badConfiguration, error.description)
        }
    }
}

extension Failure {
    static let noConfiguration = Failure(
        .badConfiguration, "there is no configuration: 'blekeep config init' writes one, or name a file with -c")
}
