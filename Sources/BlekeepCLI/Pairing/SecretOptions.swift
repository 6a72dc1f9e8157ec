import ArgumentParser
import Blekeep
import BlekeepConfiguration
import BlekeepLog
import BlekeepOutputs
import Glibc

/// The options that pass a passkey or PIN code.
struct SecretOptions: ParsableArguments {
    @Option(help: "The passkey or PIN code. All users of the machine can see it here.")
    var passkey: String?

    @Flag(help: "Read the passkey from standard input: one line.")
    var passkeyStdin = false

    @Option(help: ArgumentHelp("Read the passkey from this systemd credential.", valueName: "name"))
    var passkeyCredential: String?

    func validate() throws {
        let count = [passkey != nil, passkeyStdin, passkeyCredential != nil].count { $0 }
        if count > 1 { throw ValidationError("give only one of the --passkey options") }
        if let passkeyCredential, !Credentials.isName(passkeyCredential) {
            throw ValidationError("--passkey-credential needs a name without '/'")
        }
    }

    /// - Returns: `nil` when no option is given.
    func secret(environment: [String: String]) throws(Failure) -> PairingSecret? {
        let text: String
        let place: String
        if let passkey {
            (text, place) = (passkey, "--passkey")
        } else if passkeyStdin {
            if isatty(STDIN_FILENO) != 0 { StandardError.print("Passkey, then Enter:") }
            guard let line = Credentials.line(from: STDIN_FILENO) else {
                throw Failure(.usage, "can't read standard input")
            }
            (text, place) = (line, "standard input")
        } else if let name = passkeyCredential {
            (text, place) = (try Self.credential(name, in: environment), "the credential '\(Untrusted(name))'")
        } else {
            return nil
        }
        // Don't print the text: a mistyped passkey is also a secret.
        guard let secret = PairingSecret(text) else {
            throw Failure(.usage, "\(place) has no passkey; write six digits, or a PIN code of 1 to 16 letters")
        }
        return secret
    }

    private static func credential(_ name: String, in environment: [String: String]) throws(Failure) -> String {
        do throws(CredentialError) { return try Credentials(environment: environment).line(name) } catch {
            throw Failure(.usage, "\(error)")
        }
    }
}
