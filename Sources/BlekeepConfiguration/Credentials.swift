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

    /// Returns the first line of a credential, of at most `limit` bytes.
    package func line(_ name: String, limit: Int = 256) throws(CredentialError) -> String {
        guard let folder = environment["CREDENTIALS_DIRECTORY"] else {
            throw CredentialError(message: "systemd passed no credentials: use LoadCredential= in the unit")
        }
        let descriptor = Self.isName(name) ? open("\(folder)/\(name)", O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1
        guard descriptor >= 0 else {
            throw CredentialError(message: "systemd passed no readable credential '\(Untrusted(name))'")
        }
        defer { close(descriptor) }
        return Self.line(from: descriptor, limit: limit) ?? ""
    }

    /// Returns the first line of a file or, for text that isn't a path, of a credential.
    ///
    /// - Throws: `CredentialError`, also for a file that every user can read.
    package func secret(_ file: String, limit: Int = 256) throws(CredentialError) -> String {
        guard file.hasPrefix("/") else { return try line(file, limit: limit) }
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
        return Self.line(from: descriptor, limit: limit) ?? ""
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

/// The reason why a credential can't be read, as a sentence.
package struct CredentialError: Error, Sendable, Hashable {
    package let message: String
}

extension Configuration {
    /// Reads the keys of devices with encrypted advertisements.
    ///
    /// - Returns: a sentence for each key that can't be read.
    package mutating func readKeys(_ credentials: Credentials) -> [String] {
        var problems: [String] = []
        for index in devices.indices {
            guard let name = devices[index].keyName else { continue }
            do throws(CredentialError) {
                let line = try credentials.line(name).filter { !$0.isWhitespace }
                devices[index].key = AdvertisementKey(hex: line)
                // Don't print the text: a mistyped key is also a secret.
                if devices[index].key == nil {
                    problems.append(
                        "\(devices[index].name): the credential '\(Untrusted(name))' isn't a key of 32 hex digits, or of 24 for old Xiaomi devices"
                    )
                }
            } catch { problems.append("\(devices[index].name): \(error.message)") }
        }
        return problems
    }
}
