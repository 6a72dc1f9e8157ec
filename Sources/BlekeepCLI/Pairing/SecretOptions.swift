import ArgumentParser
import Blekeep
import BlekeepOutputs
import Glibc

/// Where a passkey or PIN code comes from.
struct SecretOptions: ParsableArguments {
    @Option(help: "The passkey or PIN code; everybody on this machine can see it here.")
    var passkey: String?

    @Flag(help: "Read it from standard input: one line.")
    var passkeyStdin = false

    @Option(help: ArgumentHelp("Read it from this descriptor: one line.", valueName: "number"))
    var passkeyFd: Int32?

    @Option(help: ArgumentHelp("Read it from a credential that systemd passed.", valueName: "name"))
    var passkeyCredential: String?

    func validate() throws {
        let count = [passkey != nil, passkeyStdin, passkeyFd != nil, passkeyCredential != nil].count { $0 }
        if count > 1 { throw ValidationError("say only one of the --passkey options") }
        if let passkeyCredential, !Self.isCredentialName(passkeyCredential) {
            throw ValidationError("--passkey-credential wants a name, without '/'")
        }
    }

    /// - Returns: `nil` when none was given.
    func secret(environment: [String: String]) throws(Failure) -> PairingSecret? {
        let text: String
        let place: String
        if let passkey {
            (text, place) = (passkey, "--passkey")
        } else if passkeyStdin || passkeyFd != nil {
            let descriptor = passkeyFd ?? STDIN_FILENO
            if isatty(descriptor) != 0 { StandardError.print("Passkey, then Enter:") }
            guard let line = Self.line(from: descriptor) else {
                throw Failure(.usage, "descriptor \(descriptor) cannot be read")
            }
            (text, place) = (line, passkeyStdin ? "standard input" : "descriptor \(descriptor)")
        } else if let name = passkeyCredential {
            (text, place) = (try Self.credential(name, environment), "the credential '\(Untrusted(name))'")
        } else {
            return nil
        }
        // The text itself is not shown: nearly right is also secret.
        guard let secret = PairingSecret(text) else {
            throw Failure(.usage, "\(place) holds no passkey: it has six digits, or is a PIN code of 1 to 16 letters")
        }
        return secret
    }

    private static func isCredentialName(_ name: String) -> Bool {
        !name.isEmpty && name != "." && name != ".." && !name.contains("/") && !name.utf8.contains(0)
    }

    private static func credential(_ name: String, _ environment: [String: String]) throws(Failure) -> String {
        guard let folder = environment["CREDENTIALS_DIRECTORY"] else {
            throw Failure(.usage, "systemd passed no credentials: use LoadCredential= in the unit")
        }
        let descriptor = open("\(folder)/\(name)", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw Failure(.usage, "systemd passed no credential '\(Untrusted(name))' that can be read")
        }
        defer { close(descriptor) }
        return line(from: descriptor) ?? ""
    }

    /// The first line, of at most 64 octets; `nil` when nothing can be read.
    static func line(from descriptor: Int32) -> String? {
        var octets: [UInt8] = []
        var octet: UInt8 = 0
        while octets.count < 64 {
            let count = read(descriptor, &octet, 1)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            guard count > 0, octet != UInt8(ascii: "\n") else { break }
            octets.append(octet)
        }
        return String(decoding: octets, as: UTF8.self)
    }
}
