import BlekeepOutputs
import BlekeepRecords
import Glibc

/// Reads secrets: from files, and from those that systemd passes to a service in `$CREDENTIALS_DIRECTORY`.
package struct Credentials {
    private let environment: [String: String]

    package init(environment: [String: String]) { self.environment = environment }

    package static func isName(_ name: String) -> Bool {
        !name.isEmpty && name != "." && name != ".." && name.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F && $0 != 0x2F }
    }

    /// Returns the first line of a credential, of at most `limit` bytes.
    package func line(_ name: String, limit: Int = 256) throws(CredentialError) -> String {
        guard let folder = environment["CREDENTIALS_DIRECTORY"] else {
            throw CredentialError(
                "systemd passed no credentials; use LoadCredential= in the unit, or name a file by its whole path",
                isOnlyHere: true)
        }
        let descriptor = Self.isName(name) ? open("\(folder)/\(name)", O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1
        guard descriptor >= 0 else {
            throw CredentialError(
                "systemd passed no readable credential '\(Untrusted(name))'; check LoadCredential= in the unit")
        }
        defer { close(descriptor) }
        return Self.line(from: descriptor, limit: limit) ?? ""
    }

    /// Returns a function that reads a password or token again for each connection, so that it may change.
    package func reader(of file: String?) -> () throws -> String? {
        { try file.map { try secret($0, limit: NamedFile.maxSecret) } }
    }

    /// Returns the first line of a file or, for text that isn't a path, of a credential.
    /// Throws `CredentialError`, also for an empty file, and for one that other users can read or replace.
    package func secret(_ file: String, limit: Int = 256) throws(CredentialError) -> String {
        guard file.hasPrefix("/") else { return try line(file, limit: limit) }
        let path = Untrusted.whole(file)
        let descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            let code = errno
            throw CredentialError(
                "can't read \(path): \(String(cString: strerror(code))); "
                    + (code == EACCES ? "let the user of blekeep read it" : "write the secret into this file"),
                isOnlyHere: code == EACCES)
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw CredentialError("\(path) isn't a plain file; write the secret into one")
        }
        guard status.st_mode & 0o007 == 0 else {
            throw CredentialError("every user can read \(path); protect it with 'chmod o= \(path)'")
        }
        guard status.st_uid == 0 || status.st_uid == geteuid() else {
            throw CredentialError("\(path) belongs to another user; protect it with 'chown root \(path)'")
        }
        let line = Self.line(from: descriptor, limit: limit) ?? ""
        guard !line.isEmpty else { throw CredentialError("\(path) is empty; write the secret into its first line") }
        return line
    }

    package func key(_ file: String) throws(CredentialError) -> AdvertisementKey {
        guard let key = AdvertisementKey(hex: try secret(file).filter { !$0.isWhitespace }) else {
            // Don't print the text: a mistyped key is also a secret.
            let what = file.hasPrefix("/") ? Untrusted.whole(file) : "the credential '\(Untrusted(file))'"
            throw CredentialError(
                "\(what) isn't a key; write 32 hex digits, or 24 for old Xiaomi devices, into its first line")
        }
        return key
    }

    /// Returns the first line, of at most `limit` bytes; `nil` when nothing can be read.
    package static func line(from descriptor: Int32, limit: Int = 256) -> String? {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while bytes.count < limit {
            let count = read(descriptor, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            guard count > 0, byte != UInt8(ascii: "\n") else { break }
            bytes.append(byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// The reason why a secret can't be read, and what to do about it.
package struct CredentialError: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String
    /// Whether another process may read the secret: the service, or that of another user.
    package let isOnlyHere: Bool

    init(_ description: String, isOnlyHere: Bool = false) {
        self.description = description
        self.isOnlyHere = isOnlyHere
    }
}

/// A file that the configuration names for blekeep to read: a secret, or certificates.
package struct NamedFile: Sendable, Hashable {
    package enum Kind: Sendable { case key, password, certificates }

    package let kind: Kind
    /// Where the configuration names it, such as `attic: key`.
    package let place: String
    /// A path, or the name of a credential.
    package let file: String
    /// Where the configuration's file does, as far as that is known.
    var location: ConfigurationLocation?

    /// - Parameter file: a path, or the name of a credential, which no configuration names yet.
    package init(kind: Kind, place: String, file: String, location: ConfigurationLocation? = nil) {
        (self.kind, self.place, self.file, self.location) = (kind, place, file, location)
    }

    /// The most bytes of a password or token.
    package static let maxSecret = 4096

    /// Returns what is wrong with the file; `nil` when nothing is.
    package func problem(_ credentials: Credentials) -> CredentialError? {
        do throws(CredentialError) {
            switch kind {
            case .key: _ = try credentials.key(file)
            case .password: _ = try credentials.secret(file, limit: Self.maxSecret)
            case .certificates:
                guard access(file, R_OK) != 0 else { return nil }
                let code = errno
                throw CredentialError(
                    "can't read \(Untrusted.whole(file)): \(String(cString: strerror(code)))",
                    isOnlyHere: code == EACCES)
            }
            return nil
        } catch { return error }
    }
}

extension LoadedConfiguration {
    /// Checks the files that the configuration names.
    /// Returns sentences about the files that another process may be able to read.
    package func checkFiles(_ credentials: Credentials) throws(ConfigurationErrors) -> [String] {
        let named = configuration.namedFiles(at)
        let problems = named.compactMap { named in named.problem(credentials).map { (named, $0) } }
        let mistakes = problems.filter { !$1.isOnlyHere }.map { named, error in
            ConfigurationProblem(
                place: named.location ?? ConfigurationLocation(file: files.first ?? ""),
                message: "\(named.place): \(error)")
        }
        if !mistakes.isEmpty { throw ConfigurationErrors(mistakes, files: files) }
        return problems.map { "\($0.place): \($1)" }
    }
}

extension Configuration {
    /// The files that it names for blekeep to read.
    package var namedFiles: [NamedFile] { namedFiles(nil) }

    /// - Parameter at: where its settings are in the files; `nil` without a file.
    func namedFiles(_ at: Located?) -> [NamedFile] {
        settings(Self.keys, at: at, showing: Showing(configuration: self)).flatMap { setting in
            guard setting.key == "devices", case .list(let items) = setting.content else { return setting.namedFiles() }
            return zip(poll.devices, items).flatMap { device, item in
                item.settings.flatMap { $0.namedFiles(in: "\(device.name): ") }
            }
        }
    }

    /// Reads the keys of devices with encrypted advertisements, and the secrets that recipes send.
    /// Returns a sentence for each key that can't be read.
    package mutating func readKeys(_ credentials: Credentials) -> [String] {
        var problems: [String] = []
        for index in poll.devices.indices {
            if let file = poll.devices[index].secretFile {
                do throws(CredentialError) {
                    let secret = try credentials.secret(file, limit: NamedFile.maxSecret)
                    poll.devices[index].secret = Array(secret.utf8)
                } catch {
                    poll.devices[index].secret = nil
                    problems.append("\(poll.devices[index].name): \(error)")
                }
            }
            guard let file = poll.devices[index].keyFile else { continue }
            do throws(CredentialError) { poll.devices[index].key = try credentials.key(file) } catch {
                poll.devices[index].key = nil
                problems.append("\(poll.devices[index].name): \(error)")
            }
        }
        return problems
    }
}

extension Setting {
    /// - Parameter parent: the names of the sections around it, each with a colon.
    fileprivate func namedFiles(in parent: String = "") -> [NamedFile] {
        switch content {
        case .value(.text(let text)):
            file.map { [NamedFile(kind: $0, place: "\(parent)`\(key)`", file: text, location: place)] } ?? []
        case .value: []
        case .section(let settings, _): settings.flatMap { $0.namedFiles(in: "\(parent)\(key): ") }
        case .list(let items): items.flatMap(\.settings).flatMap { $0.namedFiles(in: "\(parent)\(key): ") }
        }
    }
}
