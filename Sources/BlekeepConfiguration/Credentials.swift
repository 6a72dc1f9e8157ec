import Blekeep
import BlekeepOutputs
import Glibc

/// The secrets that systemd passes to a service: files in `$CREDENTIALS_DIRECTORY`.
package struct Credentials {
    private let environment: [String: String]

    package init(environment: [String: String]) { self.environment = environment }

    package static func isName(_ name: String) -> Bool {
        !name.isEmpty && name != "." && name != ".." && name.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F && $0 != 0x2F }
    }

    /// The first line of a credential, of at most 256 octets.
    package func line(_ name: String) throws(CredentialError) -> String {
        guard let folder = environment["CREDENTIALS_DIRECTORY"] else {
            throw CredentialError(message: "systemd passed no credentials: use LoadCredential= in the unit")
        }
        let descriptor = Self.isName(name) ? open("\(folder)/\(name)", O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1
        guard descriptor >= 0 else {
            throw CredentialError(message: "systemd passed no credential '\(Untrusted(name))' that can be read")
        }
        defer { close(descriptor) }
        return Self.line(from: descriptor) ?? ""
    }

    /// The first line of a file, or of a credential where this is no path.
    ///
    /// - Throws: `CredentialError`, also for a file that others can read.
    package func secret(_ file: String) throws(CredentialError) -> String {
        guard file.hasPrefix("/") else { return try line(file) }
        let descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw CredentialError(message: "can't read \(Untrusted.whole(file)): \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw CredentialError(message: "\(Untrusted.whole(file)) isn't a plain file")
        }
        guard status.st_mode & 0o007 == 0 else {
            let path = Untrusted.whole(file)
            throw CredentialError(message: "every user can read \(path); protect it with 'chmod o= \(path)'")
        }
        return Self.line(from: descriptor) ?? ""
    }

    /// The first line, of at most 256 octets; `nil` when nothing can be read.
    package static func line(from descriptor: Int32) -> String? {
        var octets: [UInt8] = []
        var octet: UInt8 = 0
        while octets.count < 256 {
            let count = read(descriptor, &octet, 1)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            guard count > 0, octet != UInt8(ascii: "\n") else { break }
            octets.append(octet)
        }
        return String(decoding: octets, as: UTF8.self)
    }
}

/// Why a credential can't be had, in a sentence for a person.
package struct CredentialError: Error, Sendable, Hashable {
    package let message: String
}

extension Configuration {
    /// Reads the keys of the devices that advertise encrypted.
    ///
    /// - Returns: a sentence for each key that cannot be had; the others go on.
    package mutating func readKeys(_ credentials: Credentials) -> [String] {
        var problems: [String] = []
        for index in devices.indices {
            guard let name = devices[index].keyName else { continue }
            do throws(CredentialError) {
                let line = try credentials.line(name).filter { !$0.isWhitespace }
                devices[index].key = AdvertisementKey(hex: line)
                // What is there instead is not shown: nearly right is also secret.
                if devices[index].key == nil {
                    problems.append(
                        "\(devices[index].name): the credential '\(Untrusted(name))' is no key of 32 hex digits")
                }
            } catch { problems.append("\(devices[index].name): \(error.message)") }
        }
        return problems
    }
}
